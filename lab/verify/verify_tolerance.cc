#include "lab/verify/verify_tolerance.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/json/serialize_precision.h"

namespace hone {
namespace {

PackagePrecision PrecisionOf(const Package& package, const std::string& name) {
  const auto found = package.manifest().find("precision");
  if (found == package.manifest().end()) return {};
  try {
    return PackagePrecisionFromJson(*found);
  } catch (const Error& error) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the manifest's precision: {}", name, error.what()));
  }
}

}  // namespace

VerifyTolerance ToleranceFor(std::optional<double> given, const Package& package, const std::string& name) {
  if (given) return {*given, "given"};
  const PackagePrecision precision = PrecisionOf(package, name);
  const bool chosen = precision.float32_layers + precision.bfloat16_layers + precision.int8_layers > 0;
  if (!chosen) return {};
  if (precision.max_error >= 0) {
    return {std::max(precision.max_error, kVerifyTolerance), "the error that the package was built within", true};
  }
  return {std::clamp(2 * precision.error, kVerifyTolerance, 1.0), "twice the error that the package's build measured"};
}

}  // namespace hone
