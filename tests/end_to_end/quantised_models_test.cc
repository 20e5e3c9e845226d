// Small networks from ONNX Runtime's quantiser, in each of its formats, on every target. Results equal those of ONNX
// Runtime bit for bit, or within one step for QDQ pairs. tests/data/make_quantised.py made the data.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "core/json/serialize.h"
#include "tests/end_to_end/run_model.h"
#include "tests/support/test_targets.h"

namespace hone {
namespace {

std::string FileText(const std::string& name) {
  std::ifstream in(std::string(HONE_TEST_DATA) + "/quantised/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Known {
  double step;  // of the last quantisation; 0 if the result is not quantised
  uint64_t seed;
  std::vector<float> values;
};

Known ReadKnown(const std::string& name) {
  const Json json = ParseJson(FileText(name + ".json"), name);
  return {json.at("step").get<double>(), json.at("input_seed").get<uint64_t>(),
          json.at("values").get<std::vector<float>>()};
}

Tensor RunOn(const relay::IRModule& module, const Target& target, uint64_t seed) {
  BuildOptions options = HostBuild();
  options.context.target = target;
  return RunOnce(Package::FromBytes(Build(module, options).package, "quantised"), 0, Fill::kNormal, seed).at(0);
}

// ONNX leaves the order of a float sum open, so a quantised sum may be either of two neighbours.
bool HasPairs(const std::string& name) { return name.find("_qdq_") != std::string::npos; }

class QuantisedModels : public ::testing::TestWithParam<const char*> {};

TEST_P(QuantisedModels, GiveOnnxRuntimesNumbersOnEveryTarget) {
  const Known known = ReadKnown(GetParam());
  const relay::IRModule module =
      relay::InferType(ImportOnnxBytes(FileText(std::string(GetParam()) + ".onnx"), "m").module);
  const double allowed = HasPairs(GetParam()) ? 1.001 * known.step : 0;
  for (const Target& target : testing::TestTargets()) {
    const Tensor got = RunOn(module, target, known.seed);
    ASSERT_EQ(static_cast<size_t>(got.elements()), known.values.size());
    for (int64_t i = 0; i < got.elements(); ++i) {
      ASSERT_NEAR(got.At(i), known.values[static_cast<size_t>(i)], allowed) << i << " on " << target.cpu;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, QuantisedModels,
                         ::testing::Values("attention_dynamic", "attention_qdq_s8s8", "attention_qdq_u8s8",
                                           "attention_qoperator", "dense_dynamic", "dense_dynamic_s8", "dense_qdq_s8s8",
                                           "dense_qdq_u8s8", "dense_qoperator", "fire_dynamic", "fire_dynamic_s8",
                                           "fire_qdq_s8s8", "fire_qdq_u8s8", "fire_qoperator", "residual_dynamic",
                                           "residual_qdq_s8s8", "residual_qdq_u8s8", "residual_qoperator",
                                           "signal_dynamic", "signal_dynamic_s8", "signal_qdq_s8s8", "signal_qdq_u8s8",
                                           "signal_qoperator", "stereo_dynamic", "stereo_dynamic_s8", "stereo_qdq_s8s8",
                                           "stereo_qdq_u8s8", "stereo_qoperator"));

}  // namespace
}  // namespace hone
