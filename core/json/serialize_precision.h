// A package's precision as JSON.
#pragma once

#include "core/json/serialize.h"
#include "core/package/plan.h"

namespace hone {

// An object as described in docs/reference/formats.md. An error that is not finite is stored as the greatest double.
Json ToJson(const PackagePrecision& precision);
// Throws Error(kBadData) for JSON that ToJson does not write.
PackagePrecision PackagePrecisionFromJson(const Json& json);

}  // namespace hone
