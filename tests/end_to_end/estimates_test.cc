// The estimates that a build gives for kernels without measured times.
#include <gtest/gtest.h>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

constexpr int64_t kSmall = 1 << 10, kLarge = 1 << 14;

// The time of one run on `threads` Zen 3 cores.
double EstimateNs(ModelMaker& maker, int threads = 1) {
  BuildOptions options;
  options.context.target = {"x86_64-pc-linux-gnu", "znver3", {}, 0};
  options.context.threads = threads;
  const BuildResult built = Build(ImportOnnxBytes(maker.Bytes(), "m").module, options);
  EXPECT_EQ(built.report.estimate_ns.size(), built.plan.kernels.size());
  double ns = 0;
  for (const PlanCall& call : built.plan.calls) ns += built.report.estimate_ns.at(static_cast<size_t>(call.kernel));
  return ns;
}

double OfOne(const std::string& op, int64_t width, int threads = 1) {
  ModelMaker maker;
  maker.Input("x", {16, width}).Node(op, {"x"}, {"y"}).Output("y");
  return EstimateNs(maker, threads);
}

TEST(Estimates, GrowWithWhatIsComputed) {
  EXPECT_GT(OfOne("Erf", kSmall), 2 * OfOne("Relu", kSmall)) << "a polynomial";
  EXPECT_NEAR(OfOne("Erf", kLarge) / OfOne("Erf", kSmall), 16, 2);
}

TEST(Estimates, AreBoundByMemoryIfThereIsLittleToCompute) {
  constexpr double kCached = 1 << 12, kStreamed = 1 << 20;  // 0.5 and 134 MB
  const double cached = OfOne("Relu", static_cast<int64_t>(kCached)) / kCached,
               streamed = OfOne("Relu", static_cast<int64_t>(kStreamed)) / kStreamed;
  EXPECT_GT(streamed, 2 * cached);
}

TEST(Estimates, AreSharedAmongThreads) { EXPECT_LT(OfOne("Erf", kLarge, 2), 0.6 * OfOne("Erf", kLarge)); }

TEST(Estimates, KnowNothingOfLoopsThatTheDataEnd) {
  ModelMaker maker;
  maker.Input("x", {1, 5000}).Ints("k", {9}).Node("TopK", {"x", "k"}, {"y", "i"}).Output("y").Output("i");
  EXPECT_LT(EstimateNs(maker), 1000) << "what is known is a copy";
}

}  // namespace
}  // namespace hone
