// From a plan and its kernels to the bytes of a package; core/package_format.h and docs/formats.md hold the format.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/plan.h"

namespace hone {

// The same plan, library, parameters and extents give the same bytes. `index_extents` is what IndexExtents gives.
// `model_sha256`: of the model's file, 64 hex digits; empty: the manifest does not tell it.
std::string WritePackage(const Plan& plan, const std::string& lib, const std::string& params,
                         const std::map<std::string, int64_t>& index_extents = {},
                         const std::string& model_sha256 = "");

}  // namespace hone
