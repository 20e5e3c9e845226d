// What --version prints and doctor reports.
#pragma once

#include <string>

#include "core/serialize.h"

namespace hone {

// "hone 0.1.0", then one line each for LLVM, package, plan, kernel ABI and C API.
std::string VersionText();
Json VersionJson();

}  // namespace hone
