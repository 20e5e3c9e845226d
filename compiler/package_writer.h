// From a plan and its kernels to the bytes of a package; core/package_format.h and docs/formats.md hold the format.
#pragma once

#include <string>

#include "core/plan.h"

namespace hone {

// The same plan, library and parameters give the same bytes.
std::string WritePackage(const Plan& plan, const std::string& lib, const std::string& params);

}  // namespace hone
