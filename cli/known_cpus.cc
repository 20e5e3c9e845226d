#include "cli/known_cpus.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/spelling.h"

namespace hone {
namespace {

KnownCpu Cpu(const char* triple, const char* name) {
  Target target;
  target.triple = triple;
  target.cpu = name;
  return {name, target};
}

}  // namespace

const std::vector<KnownCpu>& KnownCpus() {
  static const std::vector<KnownCpu> cpus = [] {
    std::vector<KnownCpu> list;
    for (const char* name : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "haswell", "skylake", "skylake-avx512",
                             "icelake-server", "sapphirerapids", "znver1", "znver2", "znver3", "znver4"}) {
      list.push_back(Cpu("x86_64-pc-linux-gnu", name));
    }
    for (const char* name : {"generic", "cortex-a53", "cortex-a72", "cortex-a76", "neoverse-n1", "neoverse-v1"}) {
      list.push_back(Cpu("aarch64-linux-gnu", name));
    }
    return list;
  }();
  return cpus;
}

Target TargetOfCpu(const std::string& name) {
  std::vector<std::string> names;
  for (const KnownCpu& cpu : KnownCpus()) {
    if (cpu.name == name) return cpu.target;
    names.push_back(cpu.name);
  }
  throw Error(ExitCode::kNoInput, fmt::format("there is no CPU {} in the list{} (`hone targets` prints it)", name,
                                              DidYouMean(name, names)));
}

}  // namespace hone
