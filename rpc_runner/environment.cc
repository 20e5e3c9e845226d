#include "rpc_runner/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/version.h"
#include "rpc_runner/cpu_features.h"
#include "runtime/session.h"

namespace hone {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::string ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string FirstOf(std::string_view cpuinfo, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = CpuInfoValue(cpuinfo, name); !value.empty()) return value;
  }
  return "";
}

std::string CpuId(const std::string& cpuinfo) {
  const std::string vendor = FirstOf(cpuinfo, {"vendor_id", "CPU implementer"});
  if (vendor.empty()) return "";
  return fmt::format("{}-{}-{}-{}", vendor, FirstOf(cpuinfo, {"cpu family", "CPU architecture"}),
                     FirstOf(cpuinfo, {"model", "CPU part"}), FirstOf(cpuinfo, {"stepping", "CPU revision"}));
}

// Sizes of the data caches of the first core, nearest first.
std::string Caches() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const std::string size = ReadLine(folder + "size");
    if (size.empty()) break;
    if (ReadLine(folder + "type") == "Instruction") continue;
    text += (text.empty() ? "" : ",") + size;
  }
  return text;
}

std::string Hypervisor(const std::string& cpuinfo) {
  if (std::string type = ReadLine("/sys/hypervisor/type"); !type.empty()) return type;
  const std::string flags = " " + CpuInfoValue(cpuinfo, "flags") + " ";
  if (flags.find(" hypervisor ") == std::string::npos) return "";
  const std::string product = ReadLine("/sys/class/dmi/id/sys_vendor");
  return product.empty() ? "unknown" : product;
}

// An emulator of programs shows the host's kernel, which tells its own architecture.
bool IsEmulated(const std::string& cpuinfo) {
#if defined(__x86_64__)
  const std::string ours = "x86_64";
  const bool foreign_cpuinfo = cpuinfo.find("CPU implementer") != std::string::npos;
#elif defined(__aarch64__)
  const std::string ours = "aarch64";
  const bool foreign_cpuinfo = cpuinfo.find("vendor_id") != std::string::npos;
#else
  const std::string ours;
  const bool foreign_cpuinfo = false;
#endif
  const std::string kernels = ReadLine("/proc/sys/kernel/arch");
  return foreign_cpuinfo || (!kernels.empty() && !ours.empty() && kernels != ours);
}

}  // namespace

Environment ProbeEnvironment() {
  Environment environment;
  const std::string cpuinfo = ReadFile("/proc/cpuinfo");
  utsname system{};
  if (uname(&system) == 0) {
    environment.host = system.nodename;
    environment.kernel = system.release;
  }
  environment.cpu_model = FirstOf(cpuinfo, {"model name", "Model", "Hardware"});
  environment.cpu_id = CpuId(cpuinfo);
  environment.microcode = CpuInfoValue(cpuinfo, "microcode");
  environment.features = CpuFeatures(cpuinfo);
  environment.cores = AllowedCores();
  environment.caches = Caches();
  environment.governor = ReadLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  environment.hypervisor = Hypervisor(cpuinfo);
  environment.emulated = IsEmulated(cpuinfo);
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) environment.load = load[0];
  environment.hone_version = HoneVersion();
  return environment;
}

}  // namespace hone
