// What --version prints and doctor reports.
#pragma once

#include <string>

#include "core/serialize.h"

namespace hone {

// "hone 0.1.0", a line for LLVM, and one for all written formats, the kernel ABI and the C API.
std::string VersionText();
Json VersionJson();

}  // namespace hone
