// Kernels of bytes against integer sums and ONNX's rounding, computed here: the same bits on every target.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/test_targets.h"
#include "tests/support/whole_sums.h"

namespace hone {
namespace {

using testing::Between;
using testing::CheckBits;
using testing::RandomInputs;
using testing::ValidConfig;
using testing::WholeValues;

void CheckReference(const Workload& w, const Target& target, uint64_t seed) {
  SCOPED_TRACE(w.ToText() + " | " + target.cpu);
  const Artifact reference = CompileReference(w, target);
  const std::vector<Tensor> inputs = RandomInputs(reference.operands, seed);
  const std::vector<double> expected = WholeValues(w, CanonicalEpilogue(w), inputs);
  const std::vector<Tensor> got = testing::RunArtifact(reference, inputs);
  for (int64_t i = 0; i < got[0].elements(); ++i) {
    ASSERT_EQ(got[0].At(i), expected[static_cast<size_t>(i)]) << i;
    ASSERT_EQ(got[1].At(i), 0) << "an output that must be exact has no error to allow";
  }
}

const std::vector<const char*> kConvolutions{
    "nn.conv2d data=2x37x9x11 weight=35x37x3x3 padding=1x1x1x1",
    "nn.conv2d data=1x3x15x15 weight=21x3x5x5 strides=2x2 padding=2x2x2x2",
    "nn.conv2d data=1x40x7x9 weight=35x40x1x1",
    "nn.conv2d data=1x64x6x6 weight=48x64x1x1 strides=2x2",
    "nn.conv2d data=1x24x8x8 weight=32x12x3x3 padding=1x1x1x1 groups=2",
    "nn.conv2d data=1x8x5x4 weight=2x4x1x1 groups=2",
    "nn.conv2d data=1x16x7x7 weight=1x16x3x3 padding=1x1x1x1",
    "nn.conv2d data=1x1x12x5 weight=17x1x3x2 dilation=2x1",
    "nn.conv2d data=2x37x9x11 weight=37x1x3x3 padding=1x1x1x1 groups=37",
    "nn.conv2d data=1x20x9x9 weight=20x1x5x5 strides=2x2 padding=2x2x2x2 groups=20"};

void CheckEverywhere(EpilogueClass epilogue_class, DType output) {
  uint64_t seed = 1;
  for (const char* text : kConvolutions) {
    Workload w = Workload::Parse(text);
    w.types = ByteTypes(output);
    w.epilogue = epilogue_class;
    if (output == DType::kInt32 && w.is_depthwise()) continue;  // its sums are float32, which is exact for them
    for (const Target& target : testing::TestTargets()) {
      if (::testing::Test::HasFailure()) return;
      CheckReference(w, target, seed);
      const MachineModel machine = MachineModelFor(target);
      const std::vector<const Schedule*> schedules = SchedulesFor(w, machine);
      ASSERT_FALSE(schedules.empty()) << text;
      for (const Schedule* schedule : schedules) {
        Random random(seed++);
        const Config config = ValidConfig(*schedule, w, machine, random);
        CheckBits({w, std::string(schedule->name()), config, target}, CanonicalEpilogue(w), seed);
      }
    }
  }
}

TEST(WholeNumbers, SumsAreExactOnEveryTarget) { CheckEverywhere(EpilogueClass::kNone, DType::kFloat32); }
TEST(WholeNumbers, SumsThemselvesAreOutputs) { CheckEverywhere(EpilogueClass::kNone, DType::kInt32); }
TEST(WholeNumbers, QuantisesAlike) { CheckEverywhere(EpilogueClass::kNone, DType::kUInt8); }
TEST(WholeNumbers, AddsOffsetsAndScales) { CheckEverywhere(EpilogueClass::kBiasAct, DType::kUInt8); }
TEST(WholeNumbers, AddsResidualsWithBothScales) { CheckEverywhere(EpilogueClass::kResidual, DType::kUInt8); }

// Tails of rows and columns, one row, one column, sums of one step.
Workload RandomDense(Random& random) {
  Workload w;
  w.op = "nn.dense";
  const int64_t depth = 4 * Between(random, 1, 40);
  w.data = {Between(random, 1, 40), depth};
  w.weight = {Between(random, 1, 100), depth};
  constexpr DType kOutputs[] = {DType::kUInt8, DType::kFloat32, DType::kInt32};
  w.types = ByteTypes(kOutputs[random.Below(3)]);
  w.epilogue = static_cast<EpilogueClass>(random.Below(w.types.output == DType::kUInt8 ? 3 : 2));
  return w;
}

TEST(WholeNumbers, DenseLayersOfRandomShapes) {
  Random random(7);
  for (uint64_t round = 0; round < 60 && !::testing::Test::HasFailure(); ++round) {
    const Workload w = RandomDense(random);
    for (const Target& target : testing::TestTargets()) {
      CheckReference(w, target, round);
      const MachineModel machine = MachineModelFor(target);
      const std::vector<const Schedule*> schedules = SchedulesFor(w, machine);
      ASSERT_FALSE(schedules.empty()) << w.ToText();
      for (const Schedule* schedule : schedules) {
        const Config config = ValidConfig(*schedule, w, machine, random);
        CheckBits({w, std::string(schedule->name()), config, target}, CanonicalEpilogue(w), round);
      }
    }
  }
}

ElementTypes RandomPairTypes(Random& random) {
  constexpr DType kBytes[] = {DType::kUInt8, DType::kInt8};
  constexpr DType kOutputs[] = {DType::kUInt8, DType::kFloat32, DType::kInt32};
  return {kBytes[random.Below(2)], kBytes[random.Below(2)], DType::kInt32, kOutputs[random.Below(3)]};
}

void CheckPairs(const Workload& w, Random& random, uint64_t seed, int& checked) {
  for (const Target& target : testing::TestTargets()) {
    const MachineModel machine = MachineModelFor(target);
    const std::vector<const Schedule*> schedules = SchedulesFor(w, machine);
    if (schedules.empty()) continue;  // rows that are not contiguous have no kernel
    CheckReference(w, target, seed);
    for (const Schedule* schedule : schedules) {
      const Config config = ValidConfig(*schedule, w, machine, random);
      CheckBits({w, std::string(schedule->name()), config, target}, CanonicalEpilogue(w), seed);
      ++checked;
    }
  }
}

// Zero points are drawn with the data; tails of rows, columns and steps, and partial steps.
TEST(WholeNumbers, ProductsOfComputedMatricesOfRandomShapes) {
  Random random(9);
  int checked = 0;
  for (uint64_t round = 0; round < 200 && !::testing::Test::HasFailure(); ++round) {
    Workload w = testing::RandomBatchMatmul(random);
    w.types = RandomPairTypes(random);
    CheckPairs(w, random, round, checked);
  }
  EXPECT_GE(checked, 100);
}

// Extents at and around those of vectors, steps and tiles of every machine.
TEST(WholeNumbers, ProductsOfComputedMatricesAtTheEdges) {
  constexpr int64_t kExtents[] = {1, 2, 3, 4, 15, 16, 17, 31, 63, 64, 65, 129};
  Random random(10);
  const auto extent = [&] { return kExtents[random.Below(std::size(kExtents))]; };
  int checked = 0;
  for (uint64_t round = 0; round < 80 && !::testing::Test::HasFailure(); ++round) {
    const int64_t B = Between(random, 1, 2), M = extent(), N = extent(), K = extent();
    const int64_t shared = random.Below(3) == 0 ? 1 : B;
    const bool rows = random.Below(2) == 0;
    Workload w = Workload::Parse(fmt::format("nn.batch_matmul data={}x{}x{} weight={}x{}x{} layouts=BMK,{},BMN", B, M,
                                             K, shared, rows ? N : K, rows ? K : N, rows ? "BNK" : "BKN"));
    w.types = RandomPairTypes(random);
    CheckPairs(w, random, round, checked);
  }
  EXPECT_GE(checked, 200) << "machines without VNNI have fewer schedules";
}

// Tests pairs of zero points: a kernel has a separate path where the weight's is 128. Sums wrap the same on all
// targets.
TEST(WholeNumbers, ProductsOfComputedMatricesTakeAnyZeroPoints) {
  for (const DType weight : {DType::kUInt8, DType::kInt8}) {
    Workload w = Workload::Parse("nn.batch_matmul data=2x5x71 weight=2x71x19 layouts=BMK,BKN,BMN");
    w.types = {weight == DType::kInt8 ? DType::kUInt8 : DType::kInt8, weight, DType::kInt32, DType::kInt32};
    std::vector<Tensor> inputs = RandomInputs(CompileReference(w, HostTarget()).operands, 4);
    for (const Target& target : testing::TestTargets()) {
      for (const Schedule* schedule : SchedulesFor(w, MachineModelFor(target))) {
        const auto compiled = CompileKernel(testing::BestOf(*schedule, w, target), Epilogue());
        for (const auto& [x, y] :
             std::vector<std::pair<int, int>>{{0, 0}, {0, 128}, {0, -128}, {255, 255}, {128, 128}, {-77, 1000}}) {
          inputs[2].Set(0, x);
          inputs[2].Set(1, y);
          const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), inputs)[0];
          const std::vector<double> expected = WholeValues(w, Epilogue(), inputs);
          for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << x << y;
        }
      }
    }
  }
}

// As long as a transformer's, with the largest possible products: beyond float32's integers.
TEST(WholeNumbers, LongSumsOfDenseLayersStayExact) {
  constexpr int64_t kDepth = 3072;
  Workload w = Workload::Parse("nn.dense data=5x3072 weight=19x3072");
  w.types = ByteTypes(DType::kInt32);
  Tensor data(DType::kUInt8, w.data), weight(DType::kInt8, w.weight);
  for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, i % kDepth == 0 ? 254 : 255);
  for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, i / kDepth % 2 == 0 ? 127 : -127);
  for (const Target& target : testing::TestTargets()) {
    for (const Schedule* schedule : SchedulesFor(w, MachineModelFor(target))) {
      SCOPED_TRACE(target.cpu + " " + std::string(schedule->name()));
      const auto compiled = CompileKernel(testing::BestOf(*schedule, w, target), Epilogue());
      const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), {data, weight})[0];
      for (int64_t i = 0; i < got.elements(); ++i) {
        ASSERT_EQ(got.data<int32_t>()[i], (255 * kDepth - 1) * (i % 19 % 2 == 0 ? 127 : -127)) << i;
      }
    }
  }
}

class EveryPartOfAnEpilogue : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPartOfAnEpilogue, IsTaken) {
  Workload w = Workload::Parse(GetParam());
  w.types = ByteTypes(DType::kUInt8);
  for (const char* text :
       {"offset,scale,hold(-127,100,0.37),add(0.21,5),relu,quantise(0.5,3,200)", "scale,bias,quantise(700,17)",
        "offset,scale,bias,add(12.5,0),relu,quantise(300,0,127)", "scale,hold(-128,127,1),quantise(1,128)"}) {
    for (const Target& target : testing::TestTargets()) {
      for (const Schedule* schedule : SchedulesFor(w, MachineModelFor(target))) {
        CheckBits(testing::BestOf(*schedule, w, target), Epilogue::Parse(text), 5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WholeNumbers, EveryPartOfAnEpilogue,
                         ::testing::Values("nn.conv2d data=1x20x7x9 weight=35x20x3x3 padding=1x1x1x1 epilogue=residual",
                                           "nn.dense data=13x20 weight=35x20 epilogue=residual"));

double Step(Random& r) { return 0.01 * static_cast<double>(Between(r, 1, 5000)); }

// Draws zero points among all bytes.
Epilogue RandomEpilogue(const Workload& w, Random& r) {
  std::string text = r.Below(2) == 0 ? "offset,scale" : "scale";
  if (r.Below(3) == 0) {
    const int64_t zero = Between(r, 0, 255);
    text += fmt::format(",hold({},{},{})", -zero, 255 - zero, Step(r));
  }
  if (r.Below(3) == 0) text += ",bias";
  if (w.epilogue == EpilogueClass::kResidual) text += fmt::format(",add({},{})", Step(r), Between(r, 0, 255));
  if (r.Below(2) == 0) text += ",relu";
  return Epilogue::Parse(text + fmt::format(",quantise({},{})", Step(r), Between(r, 0, 255)));
}

// Returns the number of kernels checked.
int CheckRandom(const std::function<Workload(Random&)>& draw, int rounds, uint64_t seed) {
  Random random(seed);
  const std::vector<Target> targets = testing::TestTargets();
  int checked = 0;
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    Workload w = draw(random);
    w.types = ByteTypes(DType::kUInt8);
    const Target& target = targets[static_cast<size_t>(round) % targets.size()];
    const MachineModel machine = MachineModelFor(target);
    for (const Schedule* schedule : SchedulesFor(w, machine)) {
      const Config config = ValidConfig(*schedule, w, machine, random);
      CheckBits({w, std::string(schedule->name()), config, target}, RandomEpilogue(w, random), seed);
      ++checked;
    }
  }
  return checked;
}

// The channels of a group are a multiple of four.
Workload RandomGroups(Random& r) {
  Workload w = testing::RandomConv(r);
  w.groups = Between(r, 2, 4);
  w.weight[1] = 4 * Between(r, 1, 6);
  w.data[1] = w.weight[1] * w.groups;
  w.weight[0] = Between(r, 1, 40) * w.groups;
  return w;
}

Workload RandomWhole(Random& r) {
  Workload w = testing::RandomConv(r);
  w.data[1] = w.weight[1];
  w.groups = 1;
  return w;
}

// Neighbouring outputs along w share vectors where the stride is 1.
Workload RandomFewOutputs(Random& r) {
  Workload w = testing::RandomFewOutputs(r);
  w.strides[1] = 1;
  return w;
}

TEST(WholeNumbers, RandomConvolutions) { EXPECT_GE(CheckRandom(RandomWhole, 60, 1), 60); }
TEST(WholeNumbers, RandomConvolutionsOfFewOutputs) { EXPECT_GE(CheckRandom(RandomFewOutputs, 100, 7), 150); }
TEST(WholeNumbers, RandomGroupsOfChannels) { EXPECT_GE(CheckRandom(RandomGroups, 40, 2), 40); }
TEST(WholeNumbers, RandomPointwiseConvolutions) { EXPECT_GE(CheckRandom(testing::RandomPointwise, 60, 3), 60); }
TEST(WholeNumbers, RandomDepthwiseConvolutions) { EXPECT_GE(CheckRandom(testing::RandomDepthwise, 40, 4), 40); }
TEST(WholeNumbers, RandomThreeByThreeConvolutions) { EXPECT_GE(CheckRandom(testing::RandomThreeByThree, 60, 6), 60); }
TEST(WholeNumbers, ImagesSmallerThanTheKernel) {
  const auto draw = [](Random& r) { return testing::OnSmallImages(RandomWhole(r), r); };
  EXPECT_GE(CheckRandom(draw, 40, 5), 40);
}

// The largest possible products, of which two overflow 16 bits when added.
TEST(WholeNumbers, NothingSaturates) {
  Workload w = Workload::Parse("nn.conv2d data=1x64x3x3 weight=32x64x1x1");
  w.types = ByteTypes(DType::kFloat32);
  Tensor data(DType::kUInt8, w.data), weight(DType::kInt8, w.weight);
  for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, 255);
  for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, i / 64 % 2 == 0 ? 127 : -128);
  for (const Target& target : testing::TestTargets()) {
    for (const Schedule* schedule : SchedulesFor(w, MachineModelFor(target))) {
      SCOPED_TRACE(target.cpu + " " + std::string(schedule->name()));
      const auto compiled = CompileKernel(testing::BestOf(*schedule, w, target), Epilogue());
      const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), {data, weight})[0];
      for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), 64 * 255 * (i / 9 % 2 == 0 ? 127 : -128)) << i;
    }
  }
}

// Only the largest and least bytes, which make the sums over a 3x3 window and its transforms extreme. There are as many
// channels as any schedule takes.
TEST(WholeNumbers, ExtremesOfThreeByThreeStayExact) {
  constexpr int64_t kChannels = 1820;
  Workload w = Workload::Parse(fmt::format("nn.conv2d data=1x{0}x5x6 weight=9x{0}x3x3 padding=1x1x1x1", kChannels));
  w.types = ByteTypes(DType::kInt32);
  Tensor data(DType::kUInt8, w.data), weight(DType::kInt8, w.weight);
  Random random(8);
  constexpr double kWeights[] = {127, -128};
  for (const int share : {1, 2, 8}) {  // one in `share` is the other extreme
    for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, random.Below(share) == 0 ? 255 : share == 8 ? 255 : 0);
    for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, kWeights[random.Below(share) == 0 ? i / 3 % 2 : 1]);
    const std::vector<double> expected = WholeValues(w, Epilogue(), {data, weight});
    for (const Target& target : testing::TestTargets()) {
      for (const Schedule* schedule : SchedulesFor(w, MachineModelFor(target))) {
        SCOPED_TRACE(target.cpu + " " + std::string(schedule->name()));
        const auto compiled = CompileKernel(testing::BestOf(*schedule, w, target), Epilogue());
        const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), {data, weight})[0];
        for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << i;
      }
    }
  }
}

// The matrices of F(4x4): B^T, and 30 G (compiler/schedules/conv2d/winograd_transform.h).
constexpr int kDataRows[6][6] = {{2, 3, -4, -3, 2, 0}, {0, -1, -2, 1, 2, 0}, {0, 2, 5, 1, -2, 0},
                                 {0, 2, 1, -5, 2, 0},  {0, -2, 1, 2, -1, 0}, {0, 2, 3, -4, -3, 2}};
constexpr int kFilterRows[6][3] = {{15, 0, 0}, {1, 2, 4}, {5, 5, 5}, {5, -5, 5}, {4, -2, 1}, {0, 0, 15}};

// One tile of 4x4 outputs. Image 2 f maximises frequency f of the transformed data and image 2 f + 1 minimises it.
// The filters do the same.
Tensor FurthestData(const Shape& shape) {
  Tensor data(DType::kUInt8, shape);
  for (int64_t i = 0; i < data.elements(); ++i) {
    const int64_t image = i / (shape[1] * 36), f = image / 2;
    const int at = kDataRows[f / 6][i / 6 % 6] * kDataRows[f % 6][i % 6];
    data.Set(i, (image % 2 == 0 ? at > 0 : at < 0) ? 255 : 0);
  }
  return data;
}

Tensor FurthestFilters(const Shape& shape) {
  Tensor weight(DType::kInt8, shape);
  for (int64_t i = 0; i < weight.elements(); ++i) {
    const int64_t filter = i / (shape[1] * 9), f = filter / 2;
    const int at = kFilterRows[f / 6][i / 3 % 3] * kFilterRows[f % 6][i % 3];
    weight.Set(i, (filter % 2 == 0 ? at < 0 : at > 0) ? -128 : 127);
  }
  return weight;
}

TEST(WholeNumbers, FurthestOfEveryFrequencyOfTilesOfFourStayExact) {
  Workload w = Workload::Parse("nn.conv2d data=72x32x6x6 weight=72x32x3x3");
  w.types = ByteTypes(DType::kInt32);
  const std::vector<Tensor> inputs{FurthestData(w.data), FurthestFilters(w.weight)};
  const std::vector<double> expected = WholeValues(w, Epilogue(), inputs);
  const Schedule& schedule = *FindSchedule("conv2d_winograd_int16");
  int checked = 0;
  for (const Target& target : testing::TestTargets()) {
    const MachineModel machine = MachineModelFor(target);
    for (const int filters : {0, 1}) {
      const Config config = Config::Parse(
          fmt::format("tile_m=4 oc_block={0} ic_block={0} tile_oc=1 tile_ow=2 tile_block=0 loop_order=0 unroll_ic=2 "
                      "prefetch=0 filters={1}",
                      machine.vector_lanes, filters));
      if (!schedule.Fits(w, machine) || schedule.Reject(w, machine, config)) continue;
      SCOPED_TRACE(target.cpu + " " + config.ToText());
      const auto compiled = CompileKernel({w, std::string(schedule.name()), config, target}, Epilogue());
      const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), inputs)[0];
      for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << i;
      ++checked;
    }
  }
  EXPECT_GE(checked, 4) << "both kinds of filters on x86-64-v2 and v3";
}

}  // namespace
}  // namespace hone
