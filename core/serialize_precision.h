// A package's precision as JSON.
#pragma once

#include "core/package_precision.h"
#include "core/serialize.h"

namespace hone {

// An object as docs/formats.md has it. An error that is not finite is the greatest double.
Json ToJson(const PackagePrecision& precision);
// Throws Error(kBadData) for what ToJson does not write.
PackagePrecision PackagePrecisionFromJson(const Json& json);

}  // namespace hone
