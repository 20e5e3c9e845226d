#include "compiler/plan/lower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/build.h"
#include "compiler/compile_kernel.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/mark_calls.h"
#include "compiler/plan/buffer_view.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "core/nth.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

ExprPtr Image(int64_t batch = 1, int64_t channels = 16) { return Input("x", {batch, channels, 6, 6}); }
ExprPtr Join(std::vector<ExprPtr> parts, int64_t axis = 1) {
  return MakeCall("concatenate", {relay::MakeTuple(std::move(parts))}, {{"axis", axis}});
}
ExprPtr Pool(const ExprPtr& x) { return MakeCall("nn.max_pool2d", {x}, {{"pool_size", std::vector<int64_t>{2, 2}}}); }

Plan PlanOf(const ExprPtr& body, int level = 3) {
  const PassContext context = TestContext(level);
  return Lower(RunPasses(ModuleOf(body), context), context.build).plan;
}

int CallsTo(const Plan& plan, const std::string& op) {
  return static_cast<int>(
      std::count_if(plan.calls.begin(), plan.calls.end(), [&](const PlanCall& c) { return c.op == op; }));
}

int ParamsOf(const Plan& plan) {
  return static_cast<int>(std::count_if(plan.buffers.begin(), plan.buffers.end(),
                                        [](const PlanBuffer& b) { return b.kind == BufferKind::kParam; }));
}

TEST(Lower, AReshapeIsAViewAndTheLastKernelWritesTheOutput) {
  const Plan plan = PlanOf(MakeCall("nn.batch_flatten", {MakeCall("exp", {Image()})}));
  ASSERT_EQ(plan.calls.size(), 1U);
  ASSERT_EQ(plan.outputs.size(), 1U);
  EXPECT_EQ(plan.calls[0].operands[1].buffer, plan.outputs[0]);
  EXPECT_EQ(plan.buffers[static_cast<size_t>(plan.outputs[0])].shape, (Shape{1, 576}));
  EXPECT_EQ(plan.arena_bytes, 0);
}

TEST(Lower, OutputsCarryTheModelsNames) {
  const ExprPtr x = Image();
  relay::IRModule module = ModuleOf(relay::MakeTuple({MakeCall("exp", {x}), MakeCall("tanh", {x})}));
  module.output_names = {"scores"};
  const PassContext context = TestContext(3);
  const Plan plan = Lower(RunPasses(module, context), context.build).plan;
  ASSERT_EQ(plan.outputs.size(), 2U);
  EXPECT_EQ(plan.buffers[static_cast<size_t>(plan.outputs[0])].name, "scores");
  EXPECT_EQ(plan.buffers[static_cast<size_t>(plan.outputs[1])].name, "output1");
}

TEST(Lower, ExactMathForbidsWinograd) {
  const relay::IRModule module = ModuleOf(Conv(Input("x", {1, 64, 28, 28}), 64, 64, 3, 1));
  const auto schedule = [&](bool exact) {
    PassContext context = TestContext(3);
    context.build.exact_math = exact;
    const Plan plan = Lower(RunPasses(module, context), context.build).plan;
    std::string used;
    for (const PlanKernel& kernel : plan.kernels) {
      if (!kernel.dispatch.workload.empty()) used = kernel.dispatch.schedule;
    }
    return used;
  };
  EXPECT_EQ(schedule(false), "conv2d_winograd");
  EXPECT_EQ(schedule(true), "conv2d_direct");
}

TEST(Lower, AnExactLayerHasNoWinogradAndOthersKeepIt) {
  const ExprPtr x = Input("x", {1, 64, 28, 28});
  const auto layer = [](const ExprPtr& data, const std::string& name) {
    const ExprPtr conv = Conv(data, 64, 64, 3, 1);
    return MakeCall("nn.conv2d", relay::AsCall(conv)->args, relay::AsCall(conv)->attrs, name);
  };
  const relay::IRModule module = ModuleOf(layer(layer(x, "first"), "second"));
  const PassContext context = TestContext(3);
  const Plan plan = Lower(RunPasses(KeepExact(module, {"second"}), context), context.build).plan;
  std::map<std::string, std::string> schedules;
  for (const PlanKernel& kernel : plan.kernels) {
    if (!kernel.dispatch.workload.empty()) schedules[kernel.dispatch.schedule] = kernel.dispatch.workload;
  }
  EXPECT_EQ(schedules.count("conv2d_winograd"), 1U);
  EXPECT_EQ(schedules.count("conv2d_direct"), 1U);
}

TEST(Lower, OutputsThatAreInputsOrOtherOutputsAreCopied) {
  const ExprPtr x = Image();
  const ExprPtr y = MakeCall("exp", {x});
  const Plan plan = PlanOf(relay::MakeTuple({x, y, Pool(y), y}));
  EXPECT_EQ(plan.outputs.size(), 4U);
  EXPECT_EQ(CallsTo(plan, "copy"), 2);
  // The pool reads its operand where the caller gets it.
  EXPECT_EQ(Nth(plan.buffers, plan.calls[0].operands[1].buffer).kind, BufferKind::kOutput);
  std::vector<int> distinct = plan.outputs;
  std::sort(distinct.begin(), distinct.end());
  EXPECT_EQ(std::unique(distinct.begin(), distinct.end()), distinct.end());
}

TEST(Lower, ConcatenationIsWrittenInPlaceAtAnyBatch) {
  for (const int64_t batch : {1, 3}) {
    const ExprPtr x = Image(batch);
    const Plan plan = PlanOf(Pool(Join({MakeCall("exp", {x}), MakeCall("tanh", {x})})));
    EXPECT_EQ(CallsTo(plan, "concatenate"), 0);
    EXPECT_EQ(CallsTo(plan, "copy"), 0);
    const PlanView second = plan.calls[1].operands[1];
    EXPECT_EQ(second.buffer, plan.calls[0].operands[1].buffer);
    EXPECT_EQ(second.offset_bytes, 16 * 36 * 4);
    EXPECT_EQ(second.batch_stride_bytes, 32 * 36 * 4);
  }
}

TEST(Lower, SlicesOfTheBatchAreViewsAndJoinInPlace) {
  using Ints = std::vector<int64_t>;
  const ExprPtr x = Image(4);
  const auto half = [&](int64_t first) {
    return MakeCall("strided_slice", {x}, {{"begin", Ints{first}}, {"end", Ints{first + 2}}, {"axes", Ints{0}}});
  };
  const Plan plan = PlanOf(Join({Pool(half(0)), Pool(half(2))}, 0));
  ASSERT_EQ(plan.calls.size(), 2U);
  const int64_t image = int64_t{16} * 6 * 6 * 4, pooled = int64_t{16} * 5 * 5 * 4;
  EXPECT_EQ(plan.calls[1].operands[0].offset_bytes, 2 * image);
  EXPECT_EQ(plan.calls[1].operands[1].offset_bytes, 2 * pooled);
  const Plan copied =
      PlanOf(Pool(MakeCall("strided_slice", {x}, {{"begin", Ints{1}}, {"end", Ints{5}}, {"axes", Ints{2}}})));
  EXPECT_EQ(CallsTo(copied, "strided_slice"), 1) << "rows of an image are none";
}

TEST(Lower, InputsOfTheModelAreCopiedIntoAConcatenation) {
  const ExprPtr x = Image();
  const Plan plan = PlanOf(Pool(Join({x, MakeCall("exp", {x})})));
  EXPECT_EQ(CallsTo(plan, "copy"), 1);
}

TEST(Lower, NestedConcatenationsShareOneBuffer) {
  const ExprPtr x = Image();
  const ExprPtr inner = Join({MakeCall("exp", {x}), MakeCall("tanh", {x})});
  const Plan plan = PlanOf(Pool(Join({inner, MakeCall("nn.lrn", {inner})})));
  EXPECT_EQ(CallsTo(plan, "copy"), 0);
  EXPECT_EQ(CallsTo(plan, "concatenate"), 0);
}

// Lanes that run over images assume no gap between them.
TEST(Lower, ColumnsOfOneNumberPerImageAreCopied) {
  const ExprPtr x = Input("x", {3, 1}), one = Input("x", {1, 1});
  EXPECT_EQ(CallsTo(PlanOf(Join({MakeCall("exp", {x}), MakeCall("tanh", {x})}, 1)), "concatenate"), 1);
  EXPECT_EQ(CallsTo(PlanOf(Join({MakeCall("exp", {one}), MakeCall("tanh", {one})}, 1)), "concatenate"), 0);
}

TEST(Lower, AConcatenationAlongTheWidthIsAKernel) {
  const ExprPtr x = Image();
  EXPECT_EQ(CallsTo(PlanOf(Join({MakeCall("exp", {x}), MakeCall("tanh", {x})}, 3)), "concatenate"), 1);
}

TEST(Lower, RefusesUnknownDimensions) {
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({relay::kAnyDim, 4}));
  EXPECT_THROW(PlanOf(MakeCall("exp", {x})), Error);
}

TEST(Lower, EqualKernelsAreCompiledOnce) {
  const ExprPtr x = Image();
  const Plan plan = PlanOf(Conv(Conv(Conv(x, 16, 16, 3, 1), 16, 16, 3, 2), 16, 16, 3, 3));
  EXPECT_EQ(CallsTo(plan, "nn.conv2d"), 3);
  std::vector<int> kernels;
  for (const PlanCall& call : plan.calls) {
    if (call.op == "nn.conv2d") kernels.push_back(call.kernel);
  }
  EXPECT_EQ(kernels[1], kernels[2]);
}

// Each call has a constant of its own with equal values, as from an importer that transposes weights.
TEST(Lower, TakesKernelsOfEarlierBuilds) {
  const PassContext context = TestContext(3);
  const IRModule module = RunPasses(ModuleOf(Pool(MakeCall("exp", {Image()}))), context);
  CompiledKernels kernels, marked;
  const Lowered first = Lower(module, context.build, &kernels);
  for (const std::string& key : first.kernel_keys) {
    std::optional<CompiledKernel> kernel = kernels.Find(key);
    ASSERT_TRUE(kernel) << key;
    kernel->object_sha256 = "marked";
    marked.Add(key, *kernel);
  }
  EXPECT_EQ(Lower(module, context.build, &kernels).objects, first.objects);
  for (const PlanKernel& kernel : Lower(module, context.build, &marked).plan.kernels) {
    EXPECT_EQ(kernel.dispatch.kernel_sha256, "marked");
  }
}

TEST(Lower, KeepsEqualWeightsOnce) {
  constexpr int64_t kWeight = int64_t{64} * 64 * 4;
  ExprPtr x = Input("x", {16, 64});
  for (int layer = 0; layer < 4; ++layer)
    x = MakeCall("tanh", {MakeCall("nn.dense", {x, RandomConstant({64, 64}, 7)})});
  EXPECT_EQ(ParamsOf(PlanOf(x)), 1);
  EXPECT_EQ(PlanOf(x).params_bytes, kWeight);
  EXPECT_EQ(ParamsOf(PlanOf(x, 0)), 1) << "at every level";
  const Plan other = PlanOf(MakeCall("nn.dense", {x, RandomConstant({64, 64}, 8)}));
  EXPECT_EQ(other.params_bytes, 2 * kWeight);
  BuildOptions options;
  options.context = TestContext().build;
  EXPECT_LT(static_cast<int64_t>(Build(ModuleOf(x), options).package.size()), 3 * kWeight);
}

TEST(Lower, KeepsWeightsOncePerLayout) {
  const ExprPtr weight = RandomConstant({64, 64}, 7);
  const ExprPtr packed = MakeCall("nn.dense", {Input("x", {64, 64}), weight});
  const Plan plan = PlanOf(MakeCall("nn.dense", {MakeCall("exp", {MakeCall("add", {packed, weight})}), weight}));
  EXPECT_EQ(ParamsOf(plan), 2) << "packed for the products, in rows for the sum";
}

TEST(Lower, KeepsWinogradsWeightsOnce) {
  const ExprPtr x = Input("x", {1, 64, 28, 28});
  const auto layer = [](const ExprPtr& data) { return MakeCall("tanh", {Conv(data, 64, 64, 3, 1)}); };
  const Plan plan = PlanOf(layer(layer(layer(x))));
  EXPECT_EQ(ParamsOf(plan), 1) << "transformed alike";
}

class ZooLower : public ::testing::TestWithParam<const char*> {};

TEST_P(ZooLower, NeedsLittleMoreArenaThanIsAlive) {
  ZooOptions options;
  options.classes = 10;
  options.image_shape = {3, 64, 64};
  const PassContext context = TestContext();
  const Plan plan = Lower(RunPasses(relay::InferType(BuildZoo(GetParam(), options)), context), context.build).plan;
  EXPECT_LE(static_cast<double>(plan.arena_bytes), 1.15 * static_cast<double>(plan.live_bound_bytes));
  EXPECT_EQ(PlanFromJson(ToJson(plan)), plan);
}

INSTANTIATE_TEST_SUITE_P(Networks, ZooLower, ::testing::Values("mobilenet", "resnet-18", "squeezenet"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ExtractTasks, CountsDistinctWorkloads) {
  const ExprPtr x = Image();
  const std::vector<Task> tasks =
      ExtractTasks(ModuleOf(Conv(Conv(Conv(x, 16, 16, 3, 1), 16, 16, 3, 2), 16, 8, 1, 3)), TestContext().build);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].uses, 2);
  EXPECT_EQ(tasks[1].workload.weight, (Shape{8, 16, 1, 1}));
}

}  // namespace
}  // namespace hone::testing
