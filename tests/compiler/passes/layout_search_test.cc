// The search for layouts over whole graphs, with costs that the tests set.
#include "compiler/passes/layouts/layout_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/frontend/zoo/zoo.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/layouts/cheapest_choices.h"
#include "compiler/passes/layouts/layout_graph.h"
#include "compiler/passes/layouts/layout_report.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

// Records of conv2d_direct for every pair of blocks, with times from the test. The fastest comes first, as a source
// must return them.
class TimedBlocks : public ConfigSource {
 public:
  using NsOf = std::function<int64_t(const Workload&, int64_t ic_block, int64_t oc_block)>;
  explicit TimedBlocks(NsOf ns_of) : ns_of_(std::move(ns_of)) {}

  std::optional<ConfigChoice> Choose(const Workload&, const Target&, int,
                                     const std::function<bool(const std::string&, const Config&)>&) override {
    return std::nullopt;
  }
  std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target&, int,
                                       const ConfigClass& class_of) override {
    std::vector<ConfigChoice> all;
    for (const int64_t ic_block : {8, 16}) {
      for (const int64_t oc_block : {8, 16}) {
        const Config config({{"oc_block", oc_block}, {"ic_block", ic_block}});
        const int64_t ns = ns_of_(workload, ic_block, oc_block);
        if (ns > 0 && class_of("conv2d_direct", config)) all.push_back({"conv2d_direct", config, "record", "", ns});
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const ConfigChoice& a, const ConfigChoice& b) { return a.expected_ns < b.expected_ns; });
    return all;
  }

 private:
  NsOf ns_of_;
};

struct Searched {
  IRModule module;
  std::vector<std::string> layouts;  // layouts of the anchors' results, in post order
  int transforms = 0;
  LayoutReport report;
};

Searched Search(const ExprPtr& body, const TimedBlocks::NsOf& ns_of, int level = 3) {
  TimedBlocks source(ns_of);
  PassContext context = TestContext(level);
  context.configs = &source;
  const IRModule before = ModuleOf(body);
  ExpectSameMeaning(before, RunPassesUntil("choose_layouts", before, context));
  Searched found;
  found.module = RunPasses(before, context);
  found.transforms = CountOf(found.module, "layout_transform");
  for (const relay::Call* call : FunctionCalls(found.module)) {
    const relay::Function& function = *relay::AsFunction(call->op);
    if (ChoiceOf(function) != nullptr) found.layouts.push_back(function.body->type->layout);
  }
  found.report = ReportLayouts(found.module);
  return found;
}

using Layouts = std::vector<std::string>;

// An image of an inner layer: transforming 64x24x24 values takes some microseconds.
ExprPtr Image() { return Input("x", {1, 32, 24, 24}); }
ExprPtr Layer(const ExprPtr& x, int64_t in, int64_t out, uint64_t seed) {
  return MakeCall("nn.relu", {Conv(x, in, out, 3, seed)});
}

// The middle layer is slightly faster in blocks of 16, in which its neighbours are slower. On its own it would take
// them and cost two transforms.
int64_t MiddleLikes16(const Workload& w, int64_t ic_block, int64_t oc_block) {
  if (w.data[1] == 64) return ic_block == 16 && oc_block == 16 ? 990'000 : 1'000'000;
  return ic_block == 8 && oc_block == 8 ? 1'000'000 : 1'500'000;
}

TEST(LayoutSearch, ALayersBestIsLeftWhereTransformsCostMore) {
  const ExprPtr middle = Layer(Layer(Image(), 32, 64, 1), 64, 64, 2);
  const auto small_gain = [](const Workload& w, int64_t ic_block, int64_t oc_block) -> int64_t {
    const int64_t ns = MiddleLikes16(w, ic_block, oc_block);
    return ns == 990'000 ? 999'900 : ns;
  };
  const Searched found = Search(Conv(middle, 64, 32, 1, 3), [&](const Workload& w, int64_t i, int64_t o) {
    return w.weight[0] == 32 ? (i == 8 && o == 8 ? 1'000'000 : 1'500'000) : small_gain(w, i, o);
  });
  EXPECT_EQ(found.layouts, (Layouts{"NCHW8c", "NCHW8c", "NCHW8c"}));
  EXPECT_EQ(found.transforms, 2);  // those of main's input and result
  EXPECT_LT(found.report.expected_ns, found.report.per_layer_ns);
}

TEST(LayoutSearch, TransformsWhereALayersBestIsWorthThem) {
  const ExprPtr middle = Layer(Layer(Image(), 32, 64, 1), 64, 64, 2);
  const Searched found = Search(Conv(middle, 64, 96, 1, 3), [&](const Workload& w, int64_t i, int64_t o) -> int64_t {
    if (w.weight[0] == 64 && w.data[1] == 64) return i == 16 && o == 16 ? 100'000 : 1'000'000;
    return i == 8 && o == 8 ? 1'000'000 : 1'500'000;
  });
  EXPECT_EQ(found.layouts, (Layouts{"NCHW8c", "NCHW16c", "NCHW8c"}));
  EXPECT_EQ(found.transforms, 4);
  EXPECT_DOUBLE_EQ(found.report.expected_ns, found.report.per_layer_ns);
}

// Each branch on its own would slightly prefer blocks of 16, but their sum reads blocks of 8.
TEST(LayoutSearch, BranchesOfAResidualBlockAgree) {
  const ExprPtr x = Layer(Image(), 32, 64, 1);
  const ExprPtr sum = MakeCall("add", {Layer(x, 64, 64, 2), x});
  const Searched found = Search(Conv(sum, 64, 32, 1, 3), [](const Workload& w, int64_t i, int64_t o) -> int64_t {
    if (w.weight[0] == 32) return i == 8 && o == 8 ? 1'000'000 : 2'000'000;
    return i == 16 || o == 16 ? 1'000'000 : 1'000'050;
  });
  for (const std::string& layout : found.layouts) EXPECT_EQ(layout, "NCHW8c");
  EXPECT_EQ(found.transforms, 2);
  EXPECT_LE(found.report.expected_ns, found.report.per_layer_ns);
}

// 24 channels do not fill blocks of 16, so their concatenation is in blocks of 8, or row-major.
TEST(LayoutSearch, PartsOfAConcatenationTakeABlockThatFitsThem) {
  const ExprPtr x = Layer(Image(), 32, 64, 1);
  const ExprPtr parts = relay::MakeTuple({Layer(x, 64, 24, 2), Layer(x, 64, 40, 3)});
  const ExprPtr joined = MakeCall("concatenate", {parts}, {{"axis", int64_t{1}}});
  const Searched found = Search(Conv(joined, 64, 32, 1, 4), [](const Workload& w, int64_t i, int64_t o) -> int64_t {
    if (w.weight[0] == 64 || w.weight[0] == 32) return 1'000'000 + (i == o ? 0 : 1);
    return i == 16 && o == 16 ? 999'900 : 1'000'000;
  });
  EXPECT_EQ(found.transforms, 2);
  EXPECT_LT(found.report.expected_ns, found.report.per_layer_ns);
}

// Two readers need one value in another layout: it is transformed once, at the cost of one transform.
TEST(LayoutSearch, ASharedTransformIsPaidOnce) {
  const auto ns_of = [](const Workload& w, int64_t i, int64_t o) -> int64_t {
    const int64_t block = w.data[1] == 32 ? 8 : 16;
    return i == block && o == block ? 1'000'000 : 5'000'000;
  };
  const ExprPtr x = Layer(Image(), 32, 64, 1);
  const Searched one = Search(relay::MakeTuple({Layer(x, 64, 64, 2)}), ns_of);
  const Searched two = Search(relay::MakeTuple({Layer(x, 64, 64, 2), Layer(x, 64, 64, 3)}), ns_of);
  EXPECT_EQ(one.transforms, 3);
  EXPECT_EQ(two.transforms, 4);  // one more, for the second result
  const MachineModel machine = TestContext().build.machine();
  const double result_ns = LayoutCost(machine).TransformNs(*relay::TensorType({1, 64, 24, 24}), "NCHW16c", "");
  EXPECT_GT(result_ns, 0);
  EXPECT_NEAR(two.report.expected_ns - one.report.expected_ns, 1'000'000 + result_ns, 1);
}

// Every way of every layer costs at least what the search found, and its own choice costs exactly that.
TEST(LayoutSearch, KnowsWhatEachWayWouldCostTheGraph) {
  TimedBlocks source([](const Workload& w, int64_t i, int64_t o) { return MiddleLikes16(w, i, o); });
  PassContext context = TestContext();
  context.configs = &source;
  const ExprPtr middle = Layer(Layer(Image(), 32, 64, 1), 64, 64, 2);
  const IRModule fused = RunPassesUntil("fuse", ModuleOf(Conv(middle, 64, 32, 1, 3)), context);
  ConfigChooser chooser(context, MachineOf(fused.main->body, context));
  const LayoutSearch search(fused.main->body, chooser, MachineOf(fused.main->body, context));
  double dearest_ns = 0;
  for (const relay::Call* call : FunctionCalls(fused)) {
    const std::vector<CallWay> ways = AnchorWays(*AnchorOf(*relay::AsFunction(call->op)), *call, chooser);
    ASSERT_GT(ways.size(), 1U);
    for (size_t i = 0; i < ways.size(); ++i) {
      const double ns = search.NsWith(call, i);
      dearest_ns = std::max(dearest_ns, ns);
      if (ways[i].anchor == search.Of(call).anchor) {
        EXPECT_DOUBLE_EQ(ns, search.expected_ns());
      } else {
        EXPECT_GE(ns, search.expected_ns() - 1);
      }
    }
  }
  EXPECT_GT(dearest_ns, search.expected_ns() + 100'000);
}

TEST(LayoutSearch, BelowLevelThreeEveryLayerTakesItsBest) {
  const ExprPtr middle = Layer(Layer(Image(), 32, 64, 1), 64, 64, 2);
  const Searched found = Search(Conv(middle, 64, 32, 1, 3), MiddleLikes16, 2);
  EXPECT_EQ(found.layouts[1], "NCHW16c");
  EXPECT_EQ(found.module.main->note, nullptr);
  EXPECT_EQ(found.report.expected_ns, 0);
}

// A choice without a time is one that a tuner wants built, so no search removes it.
TEST(LayoutSearch, AChoiceWithoutATimeStands) {
  class Wanted : public ConfigSource {
   public:
    std::optional<ConfigChoice> Choose(const Workload& w, const Target&, int,
                                       const std::function<bool(const std::string&, const Config&)>& valid) override {
      const int64_t block = w.data[1] == 64 ? 16 : 8;
      const Config config({{"oc_block", block}, {"ic_block", block}});
      if (!valid("conv2d_direct", config)) return std::nullopt;
      return ConfigChoice{"conv2d_direct", config, "finals", "", 0};
    }
  } wanted;
  PassContext context = TestContext();
  context.configs = &wanted;
  const IRModule module = RunPasses(ModuleOf(Layer(Layer(Image(), 32, 64, 1), 64, 64, 2)), context);
  EXPECT_EQ(CountOf(module, "layout_transform"), 3);
}

// The cost of blocks of 8, the only pair unknown to the source, given that `wide` takes `off` times its estimate.
double UnmeasuredNs(const Workload& workload, const Config& wide, double off) {
  const double wide_ns = FindSchedule("conv2d_direct")->EstimateNs(workload, TestContext().build.machine(), wide);
  class Known : public ConfigSource {
   public:
    explicit Known(ConfigChoice choice) : choice_(std::move(choice)) {}
    std::optional<ConfigChoice> Choose(const Workload&, const Target&, int,
                                       const std::function<bool(const std::string&, const Config&)>&) override {
      return choice_;
    }
    ConfigChoice choice_;
  } known({"conv2d_direct", wide, "record", "", static_cast<int64_t>(off * wide_ns)});
  PassContext context = TestContext();
  context.configs = &known;
  ConfigChooser chooser(context, context.build.machine());
  const std::vector<PairChoice>& choices = chooser.For(workload, CallNeeds{});
  EXPECT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices.front().choice.config, wide);
  EXPECT_EQ(choices.back().choice.source, "default");
  return choices.back().cost_ns;
}

TEST(ConfigChooser, AnUnmeasuredPairIsAsFarOffAsTheRecordAndNoFasterThanIt) {
  const Workload workload = Workload::Parse("nn.conv2d data=1x64x24x24 weight=64x64x1x1");
  const MachineModel machine = TestContext().build.machine();
  const DefaultConfig best = AnalyticDefault(workload, machine);
  const Config slow({{"oc_block", 16}, {"ic_block", 16}});
  const double slow_ns = best.schedule->EstimateNs(workload, machine, slow);
  ASSERT_GT(slow_ns, best.estimate_ns);
  EXPECT_NEAR(UnmeasuredNs(workload, slow, 2), 2 * slow_ns, 1);
  // The default's tile, with more channels unrolled than the space offers.
  Config fast = best.config;
  for (const char* knob : {"oc_block", "ic_block", "unroll_ic"}) fast.Set(knob, 16);
  fast.Set("tile_oc", best.config.Get("tile_oc", 1) / 2);
  ASSERT_LT(best.schedule->EstimateNs(workload, machine, fast), best.estimate_ns);
  EXPECT_NEAR(UnmeasuredNs(workload, fast, 2), 2 * best.estimate_ns, 1);
}

// The `workers` knob of a small dense layer before a weight of `rows` rows, with two threads; 0: both work.
int64_t WorkersBefore(int64_t rows) {
  PassContext context = TestContext();
  context.build.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3");
  context.build.threads = 2;
  const ExprPtr small = MakeCall("nn.dense", {Input("x", {1, 32}), RandomConstant({128, 32}, 1)});
  const IRModule module = RunPasses(ModuleOf(MakeCall("nn.dense", {small, RandomConstant({rows, 128}, 2)})), context);
  return ChoiceOf(*relay::AsFunction(FunctionCalls(module).front()->op))->config.Get("workers", 0);
}

TEST(ConfigChooser, WeightsThatTheSecondCacheHoldsAreNotCold) {
  EXPECT_EQ(WorkersBefore(64), 1) << "17 KB take less time than waking a thread";
  EXPECT_EQ(WorkersBefore(4096), 0) << "they take longer from memory, where other weights drive them";
}

// The search by its own cost measure, on the networks of the zoo and all choices of their layers.
class ZooLayouts : public ::testing::TestWithParam<const char*> {};

TEST_P(ZooLayouts, CostNoMoreThanTheBestOfEachLayer) {
  const IRModule module = relay::InferType(BuildZoo(GetParam(), {}));
  // Random times: layers disagree about their blocks wherever they can.
  TimedBlocks source([](const Workload& w, int64_t ic_block, int64_t oc_block) -> int64_t {
    const size_t mixed = std::hash<std::string>()(w.ToText()) * static_cast<size_t>(ic_block * 7 + oc_block);
    return 900'000 + static_cast<int64_t>(mixed >> 7) % 100'000;
  });
  PassContext context = TestContext();
  context.configs = &source;
  const IRModule fused = RunPassesUntil("fuse", module, context);
  ConfigChooser configs(context, context.build.machine());
  const MachineModel machine = context.build.machine();
  const LayoutGraph layouts(fused.main->body, configs, machine);
  const CheapestChoices found = FindCheapestChoices(layouts.graph(), layouts.per_layer());
  EXPECT_TRUE(found.exact);
  const double per_layer_ns = CostOf(layouts.graph(), layouts.per_layer());
  EXPECT_LT(found.cost, per_layer_ns);
  Choices firsts(layouts.graph().nodes.size(), 0);
  EXPECT_LE(found.cost, CostOf(layouts.graph(), firsts));
}

INSTANTIATE_TEST_SUITE_P(Networks, ZooLayouts,
                         ::testing::Values("resnet-50", "densenet-121", "googlenet", "shufflenet", "mobilenet",
                                           "mobilenet_v2", "squeezenet"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hone::testing
