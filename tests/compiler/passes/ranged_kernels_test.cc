#include "compiler/passes/layouts/ranged_kernels.h"

#include <gmock/gmock.h>

#include "compiler/passes/graph/anchor_result.h"
#include "compiler/passes/graph/run_lengths.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

PartKernel Kernel(std::vector<double> ns) { return {{}, std::move(ns)}; }

KernelChange Each(double cost) {
  return [cost](const PartKernel&, const PartKernel&) { return cost; };
}

TEST(ChooseForParts, ChangesTheKernelWhereItGainsEnough) {
  const std::vector<double> least{1, 1, 1};
  // The second kernel gains 2 % in the first two parts, or 4 %.
  EXPECT_THAT(ChooseForParts({Kernel({1.01, 1.01, 1}), Kernel({1, 1, 2})}, least, Each(0.03)).kernel_of,
              ElementsAre(0, 0, 0));
  EXPECT_THAT(ChooseForParts({Kernel({1.02, 1.02, 1}), Kernel({1, 1, 2})}, least, Each(0.03)).kernel_of,
              ElementsAre(1, 1, 0));
  const PartChoices three =
      ChooseForParts({Kernel({1, 5, 5}), Kernel({5, 1, 5}), Kernel({5, 5, 1})}, least, Each(0.03));
  EXPECT_THAT(three.kernel_of, ElementsAre(0, 1, 2));
  EXPECT_NEAR(three.cost, 3.06, 1e-9);
}

TEST(ChooseForParts, AChangeCostsByTheKernels) {
  const std::vector<double> least{1, 1, 1};
  const std::vector<PartKernel> kernels{Kernel({1, 1, 5}), Kernel({1.2, 1.2, 1}), Kernel({1.1, 5, 5})};
  const auto dear_from_first = [](const PartKernel& smaller, const PartKernel&) {
    return smaller.ns[0] == 1 ? 0.5 : 0.05;
  };
  EXPECT_THAT(ChooseForParts(kernels, least, dear_from_first).kernel_of, ElementsAre(2, 1, 1));
}

TEST(ChooseForParts, MeasuresEachPartByItsLeast) {
  // Nanoseconds of the long part weigh no more than those of the short one.
  const std::vector<double> least{10, 1000};
  EXPECT_THAT(ChooseForParts({Kernel({20, 1000}), Kernel({10, 1100})}, least, Each(10)).kernel_of, ElementsAre(1, 1));
}

TEST(ChooseForParts, ANegativeGainChangesWhereverThereIsAnother) {
  EXPECT_THAT(ChooseForParts({Kernel({1, 1, 1}), Kernel({1.1, 1.1, 1.1})}, {1, 1, 1}, Each(-1)).kernel_of,
              ElementsAre(0, 1, 0));
}

TEST(WithResult, KeepsSumsAndChannels) {
  const auto smaller = [](const std::string& text, const Shape& result) {
    const Workload workload = Workload::Parse(text), with = WithResult(workload, result);
    EXPECT_EQ(ResultShape(with), result) << with.ToText();
    EXPECT_EQ(WithResult(workload, ResultShape(workload)), workload);
    return with.ToText();
  };
  EXPECT_THAT(smaller("nn.dense data=512x64 weight=96x64", {8, 96}), ::testing::HasSubstr("data=8x64 weight=96x64"));
  EXPECT_THAT(smaller("nn.batch_matmul data=4x512x64 weight=4x512x64 layouts=BMK,BNK,BMN", {4, 8, 9}),
              ::testing::HasSubstr("data=4x8x64 weight=4x9x64"));
  EXPECT_THAT(smaller("nn.batch_matmul data=512x4x64 weight=1x512x64 layouts=MBK,BNK,MBN", {2, 8, 512}),
              ::testing::HasSubstr("data=8x2x64 weight=1x512x64"));
  // A picture of half the size: the stride leaves out the last column in both.
  EXPECT_THAT(smaller("nn.conv2d data=4x16x224x224 weight=32x16x3x3 strides=2x2 padding=1x1x1x1", {1, 32, 56, 112}),
              ::testing::HasSubstr("data=1x16x112x224"));
}

relay::FunctionPtr MainOf(std::vector<relay::RangedInput> ranged, const Shape& shape) {
  std::vector<std::shared_ptr<const relay::Var>> params{std::make_shared<relay::Var>("x", relay::TensorType(shape))};
  for (const char* name : {"batch", "seq"}) {
    params.push_back(std::make_shared<relay::Var>(name, relay::TensorType({}, DType::kInt64)));
  }
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers(ranged));
  return std::make_shared<const relay::Function>(params, params.front(), attrs);
}

std::vector<std::map<std::string, int64_t>> ExtentsIn(const std::vector<RunLength>& lengths) {
  std::vector<std::map<std::string, int64_t>> extents;
  for (const RunLength& length : lengths) extents.push_back(length.extents);
  return extents;
}

using Extents = std::map<std::string, int64_t>;

TEST(UsualLengths, AreTheEndsAndSomeBetween) {
  EXPECT_THAT(ExtentsIn(UsualLengths(*MainOf({{0, 1, 2, 1}}, {1, 512}))),
              ElementsAre(Extents{{"seq", 512}}, Extents{{"seq", 128}}, Extents{{"seq", 32}}, Extents{{"seq", 8}},
                          Extents{{"seq", 1}}));
  EXPECT_THAT(ExtentsIn(UsualLengths(*MainOf({{0, 1, 2, 160}}, {1, 512}))),
              ElementsAre(Extents{{"seq", 512}}, Extents{{"seq", 286}}, Extents{{"seq", 160}}));
  EXPECT_THAT(ExtentsIn(UsualLengths(*MainOf({{0, 1, 2, 300}}, {1, 512}))),
              ElementsAre(Extents{{"seq", 512}}, Extents{{"seq", 300}}));
  EXPECT_THAT(ExtentsIn(UsualLengths(*MainOf({{0, 1, 2, 7}}, {1, 7}))), ElementsAre(Extents{{"seq", 7}}));
  EXPECT_THAT(ExtentsIn(UsualLengths(*MainOf({{0, 0, 1, 1}, {0, 1, 2, 1}}, {32, 512}))),
              ::testing::IsSupersetOf({Extents{{"batch", 32}, {"seq", 512}}, Extents{{"batch", 8}, {"seq", 128}},
                                       Extents{{"batch", 1}, {"seq", 1}}, Extents{{"batch", 1}, {"seq", 512}},
                                       Extents{{"batch", 32}, {"seq", 1}}}));
  EXPECT_THAT(UsualLengths(*MainOf({}, {1, 512})), SizeIs(0));
}

TEST(TypicalLengths, StandForGroupsOfRuns) {
  const relay::FunctionPtr main = MainOf({{0, 1, 2, 1}}, {1, 512});
  EXPECT_EQ(TypicalLengths(*main, {{{{"seq", 40}}, 3}, {{{"", 8}}, 1}}),
            (std::vector<RunLength>{{{{"seq", 8}}, 1}, {{{"seq", 40}}, 3}, {{{"seq", 512}}, 0}}));
  std::vector<RunLength> many;
  for (int64_t n = 1; n <= 512; ++n) many.push_back({{{"seq", n}}, n == 300 ? 5.0 : 1.0});
  const std::vector<RunLength> few = TypicalLengths(*main, many);
  EXPECT_LE(few.size(), kTypicalLengths + 1);
  double all = 0;
  for (const RunLength& each : few) all += each.share;
  EXPECT_EQ(all, 516);
  EXPECT_THAT(ExtentsIn(few), ::testing::Contains(Extents{{"seq", 300}}));
}

TEST(TypicalLengths, RefuseWhatNoRunHas) {
  const relay::FunctionPtr one = MainOf({{0, 1, 2, 1}}, {1, 512}),
                           two = MainOf({{0, 0, 1, 1}, {0, 1, 2, 1}}, {32, 512});
  const auto refusal = [](const relay::Function& main, const Extents& extents) -> std::string {
    try {
      TypicalLengths(main, {{extents, 1}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(*one, {{"", 513}}), "a length of runs has seq=513; the free dimensions are seq 1..512");
  EXPECT_EQ(refusal(*one, {{"sea", 5}}), "a length of runs names sea; the free dimensions are seq 1..512");
  EXPECT_EQ(refusal(*two, {{"", 5}}),
            "a length of runs names no dimension; the free dimensions are batch 1..32, seq 1..512");
  EXPECT_EQ(refusal(*two, {{"seq", 5}}),
            "a length of runs does not give every dimension; the free dimensions are batch 1..32, seq 1..512");
}

class RangedKernelsTest : public ::testing::Test {
 protected:
  std::vector<PairChoice> Choose(double gain) {
    RangedKernels kernels(workload_, machine_, parts_, constant_weights_,
                          [](const Schedule&, const Config&) { return true; });
    if (!known_.empty()) kernels.AddKnown(0, known_);
    return kernels.Choose(gain);
  }

  Workload workload_ = Workload::Parse("nn.dense data=512x256 weight=1024x256 epilogue=bias_act");
  MachineModel machine_ = MachineModelFor(Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver5"), 1);
  std::vector<NeededResult> parts_{{{8, 1024}}, {{128, 1024}}, {{512, 1024}}};
  std::vector<ConfigChoice> known_;
  bool constant_weights_ = true;
};

TEST_F(RangedKernelsTest, AllReadWeightsInOneLayout) {
  const std::vector<PairChoice> pairs = Choose(-1);
  ASSERT_THAT(pairs, SizeIs(1));
  ASSERT_FALSE(pairs[0].variants.empty());
  const auto block = [](const ConfigChoice& choice) { return choice.config.Get("oc_block", 0); };
  int64_t rows = 0;
  for (const AnchorVariant& variant : pairs[0].variants) {
    EXPECT_EQ(block(variant.choice), block(pairs[0].choice));
    EXPECT_GT(variant.most[0], rows);
    EXPECT_LT(variant.most[0], 512);
    EXPECT_EQ(variant.most[1], 1024);
    rows = variant.most[0];
  }
}

// Small images are too few pixels for Winograd's transformed weights, which are four times the plain ones.
TEST_F(RangedKernelsTest, SmallImagesReadPlainWeightsBesideTransformedOnes) {
  workload_ = Workload::Parse("nn.conv2d data=1x512x32x32 weight=512x512x3x3 padding=1x1x1x1 epilogue=bias_act");
  parts_ = {{{1, 512, 5, 5}}, {{1, 512, 32, 32}}};
  const std::vector<PairChoice> several = Choose(0.03);
  EXPECT_TRUE(several[0].choice.schedule.starts_with("conv2d_winograd")) << several[0].choice.schedule;
  ASSERT_THAT(several[0].variants, SizeIs(1));
  EXPECT_EQ(several[0].variants[0].choice.schedule, "conv2d_direct");
  constant_weights_ = false;
  for (const PairChoice& one : Choose(0.03)) {
    for (const AnchorVariant& variant : one.variants) {
      EXPECT_EQ(variant.choice.schedule.starts_with("conv2d_winograd"),
                one.choice.schedule.starts_with("conv2d_winograd"));
    }
  }
}

TEST_F(RangedKernelsTest, EachPartIsNearItsBest) {
  const std::vector<PairChoice> pairs = Choose(0.03);
  for (const auto& [part, share] : parts_) {
    const Workload alone = WithResult(workload_, part);
    const DefaultConfig best = AnalyticDefault(alone, machine_);
    const ConfigChoice* taken = &pairs[0].choice;
    for (size_t i = pairs[0].variants.size(); i-- > 0;) {
      if (part[0] <= pairs[0].variants[i].most[0]) taken = &pairs[0].variants[i].choice;
    }
    const double ns = FindSchedule(taken->schedule)->EstimateNs(alone, machine_, taken->config);
    EXPECT_LT(ns, 1.06 * best.estimate_ns) << part[0] << " rows: " << taken->config.ToText();
  }
}

TEST_F(RangedKernelsTest, PartsWeighAsMuchAsTheyTakeOfAllRuns) {
  parts_[0].share = 1;
  const std::vector<PairChoice> pairs = Choose(0.03);
  EXPECT_TRUE(pairs[0].variants.empty()) << "only runs of 8 rows count";
  const Workload alone = WithResult(workload_, parts_[0].shape);
  EXPECT_EQ(pairs[0].choice.config.Get("oc_block", 0), AnalyticDefault(alone, machine_).config.Get("oc_block", 0));
}

TEST_F(RangedKernelsTest, TakesWhatWasMeasuredAtALength) {
  const Config slow({{"oc_block", 32}, {"tile_m", 2}});
  known_ = {{"dense_pack", slow, "record", "id", 1}};
  const std::vector<PairChoice> pairs = Choose(0.03);
  ASSERT_FALSE(pairs[0].variants.empty());
  EXPECT_EQ(pairs[0].variants[0].choice.config, slow);
  EXPECT_EQ(pairs[0].variants[0].choice.record, "id");
  EXPECT_GE(pairs[0].variants[0].most[0], 8);
}

}  // namespace
}  // namespace hone
