// Whole networks against ONNX Runtime, before the softmax, which would hide errors. tests/data/make_logits.py made the
// data.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/json/serialize.h"
#include "lab/verify/compare_outputs.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr double kTolerance = 1e-4;

Json KnownLogits(const std::string& network) {
  std::ifstream in(std::string(HONE_TEST_DATA) + "/logits/" + network + ".json");
  return ParseJson(std::string(std::istreambuf_iterator<char>(in), {}), network);
}

class Logits224 : public testing::TestWithParam<const char*> {};

TEST_P(Logits224, AreThoseOfOnnxRuntime) {
  const Json known = KnownLogits(GetParam());
  const auto logits = WithoutTrailingSoftmax(ZooModule(GetParam(), {3, 224, 224}));
  ASSERT_TRUE(logits.has_value());
  const auto package = Package::FromBytes(Build(logits->module, HostBuild()).package, GetParam());
  const std::vector<Tensor> got = RunOnce(package, 0, Fill::kNormal, known.at("input_seed").get<uint64_t>());
  ASSERT_EQ(got.size(), 1U);
  EXPECT_LE(WorstError(got[0], known.at("logits").get<std::vector<float>>()), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Networks, Logits224,
                         testing::Values("resnet-18", "resnet-50", "mobilenet", "mobilenet_v2", "squeezenet",
                                         "vgg-11"));

}  // namespace
}  // namespace hone
