// What this machine's CPU can run, in LLVM's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// "x86_64", "aarch64", "armv7" or "riscv64": the first part of a triple.
std::string_view HostArchitecture();
// Whether code that needs the feature ("avx2", "fma", "avx512f", "neon", "v") runs here; the operating system's support
// counts too, and where it must be asked for something (AMX's registers) this process has it afterwards. A feature that
// the table does not know is taken as missing.
bool HostHasFeature(std::string_view feature);
// The first of them that this CPU lacks, or empty.
std::string FirstMissingFeature(const std::vector<std::string>& features);

}  // namespace hone
