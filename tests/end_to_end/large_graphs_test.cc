// Models with as many nodes as are allowed, and nodes with many inputs. Nothing may recurse over them, and a step
// quadratic in their number would exceed ctest's time limit.
#include <gtest/gtest.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kLongest = 20'000;  // sanitizers take ten times as long
#else
constexpr int kLongest = 100'000;
#endif

BuildResult BuildOf(ModelMaker& maker) {
  return Build(ImportOnnxBytes(maker.Output("y").Bytes(), "large").module, HostBuild());
}

TEST(LargeGraphs, AChainIsBuilt) {
  constexpr int kNodes = kLongest - 1;
  ModelMaker maker;
  maker.Input("v0", {1, 4});
  for (int i = 1; i <= kNodes; ++i) {
    maker.Node(i % 10 == 0 ? "Softmax" : "Sigmoid", {"v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  }
  maker.Node("Relu", {"v" + std::to_string(kNodes)}, {"y"});
  EXPECT_GE(BuildOf(maker).plan.calls.size(), kNodes / 10u);
}

TEST(LargeGraphs, ASumIsBuilt) {
  ModelMaker maker;
  maker.Input("x", {1, 4});
  EXPECT_FALSE(BuildOf(maker.Node("Sum", std::vector<std::string>(20'000, "x"), {"y"})).plan.calls.empty());
}

TEST(LargeGraphs, AConcatIsBuilt) {
  ModelMaker maker;
  maker.Input("x", {1, 4});
  const BuildResult built =
      BuildOf(maker.Node("Concat", std::vector<std::string>(100'000, "x"), {"y"}, {{"axis", int64_t{1}}}));
  EXPECT_FALSE(built.plan.calls.empty());
}

}  // namespace
}  // namespace hone
