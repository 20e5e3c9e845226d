// From a plan and its kernels to the bytes of a package. core/package/package_format.h and docs/reference/formats.md
// define the format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/param_bytes.h"
#include "core/build_context.h"
#include "core/index_bounds.h"
#include "core/json/serialize.h"
#include "core/package/plan.h"

namespace hone {

// The facts of a package's manifest beside its parts.
struct PackageFacts {
  std::map<std::string, IndexBounds> index_extents;  // the result of IndexExtents
  std::string model_sha256;                          // of the model's file, 64 hex digits; empty: unknown
  // The settings with which parameters can be packed later. Absent, as in packages of older writers: unknown, so they
  // cannot be packed.
  struct Built {
    bool exact_math = false;
    int opt_level = 3;
    Precision precision = Precision::kFloat32;
    std::vector<std::string> required_passes, disabled_passes;  // as in BuildContext
    std::vector<std::string> kernels;                           // for plan.kernels: SHA-256 of Lowered::kernel_keys
    StoredWeights weights = StoredWeights::kFloat32;
    int64_t weight_group = kWeightGroup;
    bool byte_rows = false;
    bool operator==(const Built&) const = default;
  };
  std::optional<Built> built;
  // By the model's name of a parameter: dtype, shape and places, as OpenParams finds them; null: unknown.
  Json open_params = nullptr;
  PackagePrecision precision;  // only float32: not written
};

// Equal plans, libraries, parameters and facts give equal bytes.
std::string WritePackage(const Plan& plan, const std::string& lib, const ParamBytes& params,
                         const PackageFacts& facts = {});
// The bytes of such a package in front of its parameters, which stand last.
std::string PackageFront(const Plan& plan, const std::string& lib, const ParamBytes& params,
                         const PackageFacts& facts = {});
// The facts in a manifest. Throws Error(kBadData) naming a field of the wrong kind.
PackageFacts FactsOf(const Json& manifest);
// `keys` is Lowered::kernel_keys.
PackageFacts::Built BuiltFacts(const BuildContext& context, const std::vector<std::string>& keys);

}  // namespace hone
