// The settings that a model is compiled with.
#pragma once

#include <array>
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

// The type in which dense layers store weights. kInt8 and kInt4 are integers with a scale for each block of neighbours.
enum class StoredWeights : uint8_t { kFloat32, kFloat16, kInt8, kInt4 };
inline constexpr std::array<std::string_view, 4> kStoredWeightsNames = {"float32", "float16", "int8", "int4"};
constexpr std::string_view StoredWeightsName(StoredWeights weights) {
  return kStoredWeightsNames.at(static_cast<size_t>(weights));
}

inline constexpr int64_t kWeightGroup = 32;

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
  int64_t weight_group = kWeightGroup;  // weights of int8 or int4 that share a scale
  bool byte_rows = false;               // layers of integer weights quantise their data to int8
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
