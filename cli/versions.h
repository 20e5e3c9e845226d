// What --version prints and doctor reports.
#pragma once

#include <string>

#include "core/serialize.h"

namespace hone {

// "hone 0.1.0", a line for LLVM, and one for the formats: package, plan, store, protocol, log, kernel ABI and C API.
std::string VersionText();
Json VersionJson();

}  // namespace hone
