// The settings that a model is compiled with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/target.h"

namespace hone {

// The type that a float model multiplies and stores between its layers. Sums are float32 in both.
enum class Precision : uint8_t { kFloat32, kBFloat16 };
// "float32", "bfloat16".
constexpr std::string_view PrecisionName(Precision precision) {
  return precision == Precision::kFloat32 ? "float32" : "bfloat16";
}

// The type of stored weights that a run reads once. Products are computed in float32 in both.
enum class StoredWeights : uint8_t { kFloat32, kFloat16 };
// "float32", "float16".
constexpr std::string_view StoredWeightsName(StoredWeights weights) {
  return weights == StoredWeights::kFloat32 ? "float32" : "float16";
}

// Runs of some extents of a model's free dimensions.
struct RunLength {
  std::map<std::string, int64_t> extents;  // by the dimension's name; "" for the only one
  double share = 0;                        // of all runs, in any unit
  bool operator==(const RunLength&) const = default;
};

// Everything except records that decides which passes run and how. Tuning, the finals in the built model and the build
// must be given equal contexts: otherwise they disagree on the workloads.
struct BuildContext {
  Target target;
  int threads = 1;
  bool exact_math = false;  // no schedule or rewriting that trades accuracy for speed, whatever the records say
  int opt_level = 3;        // 0: no folding, no fusion, no blocked layouts; 3: everything
  Precision precision = Precision::kFloat32;
  StoredWeights weights = StoredWeights::kFloat32;
  // Names of passes (compiler/passes/passes.h): those that run although opt_level is too low for them, and those that
  // do not run although it is high enough.
  std::vector<std::string> required_passes = {}, disabled_passes = {};
  // The lengths that a ranged model will run. Empty: a few lengths from the least to the largest, all equally
  // important.
  std::vector<RunLength> lengths = {};

  MachineModel machine() const { return MachineModelFor(target, threads); }
  bool operator==(const BuildContext&) const = default;
};

}  // namespace hone
