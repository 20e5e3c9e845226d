// From a plan and its kernels to the bytes of a package; core/package_format.h and docs/formats.md hold the format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/build_context.h"
#include "core/index_bounds.h"
#include "core/package_precision.h"
#include "core/plan.h"
#include "core/serialize.h"

namespace hone {

// What the manifest tells of a package beside its parts.
struct PackageFacts {
  std::map<std::string, IndexBounds> index_extents;  // what IndexExtents gives
  std::string model_sha256;                          // of the model's file, 64 hex digits; empty: not told
  // What parameters are packed by later; absent, as in packages of older writers: not told, and they cannot be.
  struct Built {
    bool exact_math = false;
    int opt_level = 3;
    Precision precision = Precision::kFloat32;
    std::vector<std::string> required_passes, disabled_passes;  // as in BuildContext
    std::vector<std::string> kernels;                           // of plan.kernels: SHA-256 of Lowered::kernel_keys
    StoredWeights weights = StoredWeights::kFloat32;
    bool operator==(const Built&) const = default;
  };
  std::optional<Built> built;
  // By the model's name of a parameter: dtype, shape and places, as OpenParams finds them; null: not told.
  Json open_params = nullptr;
  PackagePrecision precision;  // float32 alone: not told
};

// The same plan, library, parameters and facts give the same bytes.
std::string WritePackage(const Plan& plan, const std::string& lib, const std::string& params,
                         const PackageFacts& facts = {});
// The facts that a manifest tells. Throws Error(kBadData) naming the field that is of another kind.
PackageFacts FactsOf(const Json& manifest);
// `keys`: Lowered::kernel_keys.
PackageFacts::Built BuiltFacts(const BuildContext& context, const std::vector<std::string>& keys);

}  // namespace hone
