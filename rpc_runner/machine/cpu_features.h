// The instruction sets of this CPU by LLVM's names. They include all that a target may imply (ImpliedFeatures in
// compiler/codegen/target/host.h), so an unlisted one is missing.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// From the "flags" line of an x86 /proc/cpuinfo: the features that kernels may require, space-separated and sorted.
std::string FeaturesFromFlags(std::string_view flags);
// The features of this CPU: by the flags on x86, by the auxiliary vector on ARM and RISC-V (correct under emulation
// too).
std::string CpuFeatures(std::string_view cpuinfo);
// The value of the first line "name : value", or empty.
std::string CpuInfoValue(std::string_view cpuinfo, std::string_view name);

}  // namespace hone
