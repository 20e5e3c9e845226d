// The abilities of this machine's CPU, in LLVM's terms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// "x86_64", "aarch64", "armv7" or "riscv64": the first part of a triple.
std::string_view HostArchitecture();
// Whether code that needs the feature ("avx2", "fma", "avx512f", "neon", "v") runs here. The operating system must
// support it too. If the system lends it only on request (AMX's registers), this call makes the request for the
// process. A feature that the table lacks counts as missing.
bool HostHasFeature(std::string_view feature);
// The first of `features` that this CPU lacks, or empty.
std::string FirstMissingFeature(const std::vector<std::string>& features);

}  // namespace hone
