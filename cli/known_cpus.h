// CPUs that are worth naming to people; the compiler knows many more.
#pragma once

#include <string>
#include <vector>

#include "core/target.h"

namespace hone {

struct KnownCpu {
  std::string name;  // LLVM's
  Target target;
};

// x86-64 first, then AArch64; modest ones before modern ones.
const std::vector<KnownCpu>& KnownCpus();
// Throws Error(kNoInput) with the nearest name.
Target TargetOfCpu(const std::string& name);

}  // namespace hone
