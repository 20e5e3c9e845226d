// Versions for --version and doctor.
#pragma once

#include <string>

#include "core/json/serialize.h"

namespace hone {

// "hone 0.1.0", a line for LLVM, and one for all file formats, the kernel ABI and the C API.
std::string VersionText();
Json VersionJson();

}  // namespace hone
