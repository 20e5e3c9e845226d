// The instruction sets of this CPU in LLVM's words: all that a target may imply (ImpliedFeatures in
// compiler/codegen/host.h), so that what is not listed is not there.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// From the "flags" line of an x86 /proc/cpuinfo: those that kernels may require, space-separated and sorted.
std::string FeaturesFromFlags(std::string_view flags);
// Of the CPU that we run on: by the flags on x86, by the auxiliary vector on ARM and RISC-V (true under emulation too).
std::string CpuFeatures(std::string_view cpuinfo);
// The value of the first line "name : value", or empty.
std::string CpuInfoValue(std::string_view cpuinfo, std::string_view name);

}  // namespace hone
