#include "rpc_runner/machine/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

#include "core/machine/llvm_cpu_name.h"
#include "core/version.h"
#include "rpc_runner/machine/core_set.h"
#include "rpc_runner/machine/cpus.h"
#include "rpc_runner/machine/sensors.h"
#include "runtime/host_cpu.h"
#include "runtime/session.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

std::string FirstOf(std::string_view cpuinfo, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = CpuInfoValue(cpuinfo, name); !value.empty()) return value;
  }
  return "";
}

// The sizes of a CPU's data caches, nearest first.
std::string Caches(int cpu) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/", cpu, i);
    const std::string size = FirstLineOf(folder + "size");
    if (size.empty()) break;
    if (FirstLineOf(folder + "type") == "Instruction") continue;
    text += (text.empty() ? "" : ",") + size;
  }
  return text;
}

std::string Hypervisor(const std::string& cpuinfo) {
  if (std::string type = FirstLineOf("/sys/hypervisor/type"); !type.empty()) return type;
  const std::string flags = " " + CpuInfoValue(cpuinfo, "flags") + " ";
  if (flags.find(" hypervisor ") == std::string::npos) return "";
  const std::string product = FirstLineOf("/sys/class/dmi/id/sys_vendor");
  return product.empty() ? "unknown" : product;
}

// Whether a kernel of this architecture natively runs this program. "armv7l" and "armv8l" are words of uname's.
bool RunsPrograms(std::string_view kernels) {
  if (HostArchitecture() == "armv7") return kernels.starts_with("arm") || kernels == "aarch64";
  return kernels == HostArchitecture();
}

// A user-mode emulator shows the host's kernel and the host's /proc/cpuinfo, which has fields of its architecture.
bool IsEmulated(std::string_view cpuinfo) {
  const std::string kernels = FirstLineOf("/proc/sys/kernel/arch");
  const std::string_view foreign_field = HostArchitecture() == "x86_64" ? "CPU implementer" : "vendor_id";
  return cpuinfo.find(foreign_field) != cpuinfo.npos || (!kernels.empty() && !RunsPrograms(kernels));
}

// Fills in what identifies the CPU; where cores differ, that of the first CPU that affinity allows.
void ProbeCpu(const std::string& cpuinfo, Environment& environment) {
  const std::vector<int> allowed = AffinityCpus();
  const int first = allowed.empty() ? 0 : allowed.front();
  environment.cpu_model = FirstOf(cpuinfo, {"model name", "Model", "Hardware"});
  environment.cpu_id = CpuIdOf(CpuInfoOf(cpuinfo, first));
  environment.microcode = CpuInfoValue(cpuinfo, "microcode");
  environment.features = CpuFeatures(cpuinfo);
  environment.caches = Caches(first);
  environment.governor = FirstLineOf(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", first));
  environment.core_kind = CoreSetText(PlacesOf(allowed, cpuinfo), PlacesOf(OnlineCpus(allowed), cpuinfo));
  environment.emulated = IsEmulated(cpuinfo);
  environment.arch = HostArchitecture();
  environment.llvm_cpu = LlvmCpuName(HostArchitecture(), FingerprintOf(environment));
}

}  // namespace

std::string CpuIdOf(std::string_view cpuinfo) {
  const std::string vendor = FirstOf(cpuinfo, {"vendor_id", "CPU implementer", "mvendorid"});
  if (vendor.empty()) return "";
  return fmt::format("{}-{}-{}-{}", vendor, FirstOf(cpuinfo, {"cpu family", "CPU architecture", "marchid"}),
                     FirstOf(cpuinfo, {"model", "CPU part", "mimpid"}), FirstOf(cpuinfo, {"stepping", "CPU revision"}));
}

Environment ProbeEnvironment() {
  Environment environment;
  const std::string cpuinfo = ReadSmallFile("/proc/cpuinfo").value_or("");
  utsname system{};
  if (uname(&system) == 0) {
    environment.host = system.nodename;
    environment.kernel = system.release;
  }
  ProbeCpu(cpuinfo, environment);
  environment.cores = AllowedCores();
  environment.hypervisor = Hypervisor(cpuinfo);
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) environment.load = load[0];
  environment.hone_version = HoneVersion();
  ReadSensors(&environment);
  return environment;
}

void ReadSensors(Environment* environment) {
  environment->mhz = ClockMhz(AffinityCpus());
  environment->celsius = HottestCelsius();
}

}  // namespace hone
