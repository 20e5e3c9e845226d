#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/layouts/choose_layouts.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/relay/printer.h"
#include "compiler/schedules/schedule.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::HasSubstr;

IRModule Optimized(const ExprPtr& body, int level = 3) {
  const IRModule module = ModuleOf(body);
  ExpectSameMeaning(module, RunPassesUntil("choose_layouts", module, TestContext(level)));
  return RunPasses(module, TestContext(level));
}

int Transforms(const IRModule& module) { return CountOf(module, "layout_transform"); }

ExprPtr Image(int64_t channels = 16) { return Input("x", {2, channels, 6, 6}); }

TEST(ChooseLayouts, NeighbouringConvolutionsShareABlockedLayout) {
  const IRModule module =
      Optimized(MakeCall("nn.relu", {Conv(MakeCall("nn.relu", {Conv(Image(), 16, 32, 3, 1)}), 32, 16, 3, 2)}));
  const auto calls = FunctionCalls(module);
  for (const relay::Call* call : calls) {
    const relay::Function& function = *relay::AsFunction(call->op);
    if (AnchorOf(function) == nullptr) continue;
    ASSERT_NE(ChoiceOf(function), nullptr);
    EXPECT_EQ(ChoiceOf(function)->source, "default");
    EXPECT_NO_THROW(Workload::Parse(AnchorOf(function)->workload.ToText()));
    for (size_t i = 0; i < call->args.size(); ++i) {
      EXPECT_EQ(call->args[i]->type->layout, function.params[i]->type->layout);
    }
  }
  EXPECT_LE(Transforms(module), 3);
  EXPECT_TRUE(module.main->body->type->layout.empty());
}

// A border around images keeps the channel blocks; a border of channels does not.
TEST(ChooseLayouts, BordersLieInBlocks) {
  const auto bordered = [](std::vector<int64_t> width) {
    const ExprPtr data = MakeCall("nn.relu", {Conv(Image(), 16, 20, 3, 1)});
    const ExprPtr pad = MakeCall("nn.pad", {data}, {{"pad_width", width}, {"pad_value", 0.5}});
    return Optimized(Conv(pad, 20 + width[2], 16, 3, 2));
  };
  EXPECT_EQ(Transforms(bordered({0, 0, 0, 0, 1, 2, 3, 0})), Transforms(Optimized(Conv(Image(), 16, 16, 3, 1))));
  EXPECT_GT(Transforms(bordered({0, 0, 2, 0, 0, 0, 0, 0})), 2);
}

// A graph's input is the smaller image without its border.
TEST(ChooseLayouts, InputsAreBlockedBeforeTheirBorder) {
  const ExprPtr pad =
      MakeCall("nn.pad", {Image()}, {{"pad_width", std::vector<int64_t>{0, 0, 0, 0, 2, 2, 2, 2}}, {"pad_value", 0.5}});
  const IRModule module = Optimized(Conv(pad, 16, 16, 3, 2));
  int borders = 0;
  for (const relay::Call* call : FunctionCalls(module)) {
    const ExprPtr& body = relay::AsFunction(call->op)->body;
    if (relay::AsCallTo(body, "nn.pad") == nullptr) continue;
    EXPECT_THAT(body->type->layout, HasSubstr("NCHW"));
    ++borders;
  }
  EXPECT_EQ(borders, 1);
}

TEST(ChooseLayouts, PrintingShowsWhatWasChosen) {
  const IRModule module = Optimized(Conv(Image(), 16, 32, 3, 1));
  const ConfigChoice* choice = nullptr;
  for (const relay::Call* call : FunctionCalls(module)) {
    if (const ConfigChoice* chosen = ChoiceOf(*relay::AsFunction(call->op))) choice = chosen;
  }
  ASSERT_NE(choice, nullptr);
  const std::string text = relay::ToText(module);
  EXPECT_THAT(text, HasSubstr("Primitive=1, anchor=\"nn.conv2d\", workload=\"nn.conv2d data=2x16x6x6 "));
  EXPECT_THAT(text, HasSubstr("epilogue=\"none\", schedule=\"" + choice->schedule + "\", config=\"" +
                              choice->config.ToText() + "\", source=\"default\", record=\"\", expected_ns=0)"));
  EXPECT_THAT(text, HasSubstr(", per_layer_ns="));
}

TEST(ChooseLayouts, BelowLevelThreeValuesLieRowMajorBetweenFunctions) {
  const IRModule module = Optimized(Conv(MakeCall("nn.lrn", {Conv(Image(), 16, 32, 3, 1)}), 32, 16, 3, 2), 2);
  for (const relay::Call* call : FunctionCalls(module)) {
    const relay::Function& function = *relay::AsFunction(call->op);
    const bool lrn = relay::AsCallTo(function.body, "nn.lrn") != nullptr;
    EXPECT_TRUE(!lrn || call->type->layout.empty());
  }
}

TEST(ChooseLayouts, AValueIsTransformedOncePerLayout) {
  const ExprPtr x = Image(64);
  const ExprPtr left = Conv(x, 64, 64, 3, 1), right = Conv(x, 64, 64, 3, 2);
  const IRModule module = Optimized(relay::MakeTuple({left, right}));
  int of_input = 0;
  for (const relay::Call* call : FunctionCalls(module)) of_input += relay::AsVar(call->args[0]) != nullptr ? 1 : 0;
  EXPECT_EQ(of_input, 1);
}

TEST(ChooseLayouts, WeightsArePackedAhead) {
  const IRModule module = Optimized(Conv(Image(), 16, 32, 3, 1));
  for (const relay::Call* call : FunctionCalls(module)) {
    for (const ExprPtr& arg : call->args) {
      const relay::Constant* constant = relay::AsConstant(arg);
      if (constant == nullptr) continue;
      EXPECT_EQ(constant->value.shape(), PhysicalShapeOf(*constant->type));
    }
    if (relay::AsCallTo(relay::AsFunction(call->op)->body, "layout_transform")) {
      EXPECT_EQ(relay::AsConstant(call->args[0]), nullptr);
    }
  }
}

TEST(ChooseLayouts, ComputedWeightsAreNotTransformed) {
  const ExprPtr conv =
      MakeCall("nn.conv2d", {Image(64), Input("w", {64, 64, 3, 3})}, {{"padding", std::vector<int64_t>{1, 1, 1, 1}}});
  const IRModule module = Optimized(conv);
  for (const relay::Call* call : FunctionCalls(module)) {
    for (const ExprPtr& arg : call->args) {
      EXPECT_EQ(arg->type->layout.find('@'), std::string::npos) << arg->type->layout;
    }
  }
}

TEST(FoldLayouts, PacksConstantsToTheirPhysicalShape) {
  const IRModule module = Optimized(Conv(Image(20), 20, 24, 1, 1));
  const relay::Constant* weight = nullptr;
  for (const relay::Call* call : FunctionCalls(module)) {
    if (AnchorOf(*relay::AsFunction(call->op)) != nullptr) weight = relay::AsConstant(call->args[1]);
  }
  ASSERT_NE(weight, nullptr);
  const Layout layout = Layout::Parse(weight->type->layout);
  const Tensor unpacked = Unpack(weight->value, layout, weight->type->shape);
  const Tensor expected = RandomTensor({24, 20, 1, 1}, 1);
  for (int64_t i = 0; i < expected.elements(); ++i) ASSERT_EQ(unpacked.At(i), expected.At(i));
}

TEST(ChooseLayouts, ChannelConstantsStayRowMajorInBlockedGroups) {
  const ExprPtr pool =
      MakeCall("nn.global_avg_pool2d",
               {MakeCall("multiply", {MakeCall("exp", {Conv(Image(), 16, 32, 3, 1)}), RandomConstant({32, 1, 1}, 5)})});
  const IRModule module = Optimized(pool);
  for (const relay::Call* call : FunctionCalls(module)) {
    if (!relay::AsCallTo(relay::AsFunction(call->op)->body, "multiply")) continue;
    EXPECT_NE(ChannelBlock(call->args[0]->type), 0);
    EXPECT_TRUE(call->args[1]->type->layout.empty());
  }
}

// The source's config is used, unless its schedule refuses it.
class FixedSource : public ConfigSource {
 public:
  explicit FixedSource(ConfigChoice choice) : choice_(std::move(choice)) {}
  std::optional<ConfigChoice> Choose(const Workload&, const Target&, int,
                                     const std::function<bool(const std::string&, const Config&)>&) override {
    ++asked;
    return choice_;
  }
  int asked = 0;

 private:
  ConfigChoice choice_;
};

std::string SourceOfConv(ConfigSource& source, int* asked = nullptr) {
  PassContext context = TestContext();
  context.configs = &source;
  const IRModule module = RunPasses(ModuleOf(Conv(Conv(Image(), 16, 16, 3, 1), 16, 16, 3, 2)), context);
  if (asked != nullptr) *asked = static_cast<FixedSource&>(source).asked;
  for (const relay::Call* call : FunctionCalls(module)) {
    const ConfigChoice* choice = ChoiceOf(*relay::AsFunction(call->op));
    if (choice != nullptr) return choice->source;
  }
  return "";
}

TEST(ChooseLayouts, AsksTheSourceOncePerWorkload) {
  const Workload workload = Workload::Parse("nn.conv2d data=2x16x6x6 weight=16x16x3x3 padding=1x1x1x1");
  const DefaultConfig best = AnalyticDefault(workload, TestContext().build.machine());
  FixedSource source({std::string(best.schedule->name()), best.config, "record", "r1", 5});
  int asked = 0;
  EXPECT_EQ(SourceOfConv(source, &asked), "record");
  EXPECT_EQ(asked, 1);
}

TEST(ChooseLayouts, RefusesARecordOfAnUnknownSchedule) {
  FixedSource source({"conv2d_of_yesterday", Config(), "record", "r1", 5});
  EXPECT_EQ(SourceOfConv(source), "default");
}

}  // namespace
}  // namespace hone::testing
