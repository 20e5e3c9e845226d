// Every schedule against the reference kernel, over random shapes, configs, epilogues and machine rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/activation.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/test_targets.h"

namespace hone {
namespace {

using testing::Between;
using testing::OnSmallImages;
using testing::RandomBatchMatmul;
using testing::RandomConv;
using testing::RandomDense;
using testing::RandomDenseBlocks;
using testing::RandomDepthwise;
using testing::RandomFewOutputs;
using testing::RandomPointwise;
using testing::RandomPrologue;
using testing::RandomThreeByThree;
using testing::ValidConfig;

// The largest |got - value| / (tolerance * magnitude + 1e-7).
double WorstError(const Tensor& got, const Tensor& value, const Tensor& magnitude, double tolerance) {
  double worst = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double bound = tolerance * magnitude.At(i) + 1e-7;
    const double error = std::abs(got.At(i) - value.At(i)) / bound;
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  return worst;
}

void CheckCandidate(const Candidate& candidate, uint64_t seed) {
  SCOPED_TRACE(candidate.workload.ToText() + " | " + candidate.schedule + " " + candidate.config.ToText() + " | " +
               candidate.target.cpu);
  auto compiled = CompileKernel(candidate);
  ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << std::get<Rejection>(compiled).reason;
  const Artifact& artifact = std::get<Artifact>(compiled);
  const Artifact reference = CompileReference(candidate.workload, candidate.target);
  const std::vector<Tensor> inputs = testing::RandomInputs(reference.operands, seed);
  const std::vector<Tensor> expected = testing::RunArtifact(reference, inputs);
  const Tensor whole = testing::RunArtifact(artifact, inputs)[0];
  EXPECT_LE(WorstError(whole, expected[0], expected[1], FindSchedule(candidate.schedule)->tolerance()), 1.0);
  const Tensor pieces = testing::RunArtifact(artifact, inputs, 3)[0];
  EXPECT_EQ(std::memcmp(whole.raw(), pieces.raw(), static_cast<size_t>(whole.size_bytes())), 0)
      << "the result depends on how the work was cut";
}

void CheckRandom(const std::function<Workload(Random&)>& draw, int rounds, uint64_t seed) {
  Random random(seed);
  const std::vector<Target> targets = testing::TestTargets();
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    const Workload w = draw(random);
    const Target& target = targets[static_cast<size_t>(round) % targets.size()];
    const MachineModel machine = MachineModelFor(target);
    for (const Schedule* schedule : SchedulesFor(w, machine)) {
      CheckCandidate({w, std::string(schedule->name()), ValidConfig(*schedule, w, machine, random), target}, seed);
    }
  }
}

TEST(ScheduleAgainstReference, RandomConvolutions) { CheckRandom(RandomConv, 60, 1); }
TEST(ScheduleAgainstReference, RandomConvolutionsOfFewOutputs) { CheckRandom(RandomFewOutputs, 60, 12); }
TEST(ScheduleAgainstReference, RandomThreeByThreeConvolutions) { CheckRandom(RandomThreeByThree, 60, 5); }
TEST(ScheduleAgainstReference, RandomPointwiseConvolutions) { CheckRandom(RandomPointwise, 45, 2); }
TEST(ScheduleAgainstReference, RandomPrologues) { CheckRandom(RandomPrologue, 45, 6); }
TEST(ScheduleAgainstReference, RandomDepthwiseConvolutions) { CheckRandom(RandomDepthwise, 45, 3); }
TEST(ScheduleAgainstReference, RandomConvolutionsOfSmallImages) {
  const auto draw = [](Random& r) {
    Workload w = OnSmallImages(RandomConv(r), r);
    // Excludes Winograd, whose error is relative to its whole tile, even for outputs that meet little data.
    w.strides[1] = std::max<int64_t>(w.strides[1], 2);
    return w;
  };
  CheckRandom(draw, 30, 7);
}
TEST(ScheduleAgainstReference, RandomDepthwiseConvolutionsOfSmallImages) {
  CheckRandom([](Random& r) { return OnSmallImages(RandomDepthwise(r), r); }, 30, 10);
}
// A convolution of images of one row, and its equivalent for images of one column.
std::pair<Workload, Workload> OneRowAndOneColumn(Workload w) {
  const int64_t before = w.padding[1], after = w.padding[3];
  w.data[2] = w.weight[2] = w.strides[0] = w.dilation[0] = 1;
  w.padding = {0, before, 0, after};
  Workload column = w;
  for (Shape* shape : {&column.data, &column.weight}) std::swap((*shape)[2], (*shape)[3]);
  std::swap(column.strides[0], column.strides[1]);
  std::swap(column.dilation[0], column.dilation[1]);
  column.padding = {before, 0, after, 0};
  return {w, column};
}

void ExpectColumnsAsRows(const Workload& drawn, const Target& target, Random& random) {
  const auto [row, column] = OneRowAndOneColumn(drawn);
  const MachineModel machine = MachineModelFor(target);
  for (const Schedule* schedule : SchedulesFor(row, machine)) {
    const Config config = ValidConfig(*schedule, row, machine, random);
    SCOPED_TRACE(column.ToText() + " | " + config.ToText() + " | " + target.cpu);
    const Artifact of_rows = std::get<Artifact>(CompileKernel({row, std::string(schedule->name()), config, target}));
    const Artifact of_columns =
        std::get<Artifact>(CompileKernel({column, std::string(schedule->name()), config, target}));
    const std::vector<Tensor> inputs = testing::RandomInputs(of_rows.operands, 1);
    std::vector<Tensor> turned;
    for (size_t i = 0; i < inputs.size(); ++i) turned.push_back(inputs[i].Reshaped(of_columns.operands[i].shape));
    const Tensor expected = testing::RunArtifact(of_rows, inputs)[0], got = testing::RunArtifact(of_columns, turned)[0];
    EXPECT_EQ(std::memcmp(got.raw(), expected.raw(), static_cast<size_t>(got.size_bytes())), 0);
  }
}

TEST(ScheduleAgainstReference, ImagesOfOneColumnAreComputedAsImagesOfOneRow) {
  Random random(11);
  const std::vector<Target> targets = testing::TestTargets();
  for (size_t round = 0; round < 24; ++round) {
    ExpectColumnsAsRows(round % 3 == 0 ? RandomDepthwise(random) : RandomConv(random), targets[round % targets.size()],
                        random);
  }
}

TEST(ScheduleAgainstReference, RandomDenseLayers) { CheckRandom(RandomDense, 45, 4); }

TEST(ScheduleAgainstReference, RandomDenseLayersOfBlocks) { CheckRandom(RandomDenseBlocks, 90, 14); }

TEST(ScheduleAgainstReference, RandomBatchMatmuls) { CheckRandom(RandomBatchMatmul, 90, 9); }

// The tap bounds are known when the kernel is emitted, and differ from those of a whole window.
TEST(ScheduleAgainstReference, ADepthwiseWindowOfOneRowLeavesOutWhatIsPadding) {
  const Workload w = Workload::Parse(
      "nn.conv2d data=1x32x2x2 weight=32x1x3x3 strides=2x2 padding=1x1x1x1 dilation=1x1 groups=32 dtype=float32 "
      "epilogue=bias_act");
  for (const char* unroll : {"0", "1"}) {
    const Config config = Config::Parse(fmt::format("oc_block=8 tile_ow=1 unroll_kh={}", unroll));
    CheckCandidate({w, "conv2d_depthwise", config, HostTarget()}, 3);
  }
}

// Blocks in a prime number: tiles of several do not divide them.
TEST(ScheduleAgainstReference, ALastTileOfFewerBlocks) {
  for (const Target& target : testing::TestTargets()) {
    const int lanes = MachineModelFor(target).vector_lanes;
    for (const char* epilogue : {"bias_act", "residual"}) {
      for (const int tile : {2, 3, 4}) {
        const Workload w = Workload::Parse(fmt::format(
            "nn.conv2d data=2x5x6x7 weight={}x5x3x3 padding=1x1x1x1 epilogue={}", 11 * lanes - 3, epilogue));
        const Config config = Config::Parse(fmt::format(
            "oc_block={} ic_block=1 tile_oc={} tile_ow=2 unroll_ic=1 loop_order={}", lanes, tile, tile % 2));
        CheckCandidate({w, "conv2d_direct", config, target}, 3);
      }
    }
  }
}

// No space has blocks of several vectors, but a record or another machine's layout may ask for them.
TEST(ScheduleAgainstReference, BlocksOfSeveralVectors) {
  Random random(7);
  for (const Target& target : testing::TestTargets()) {
    const int64_t lanes = MachineModelFor(target).vector_lanes;
    for (const auto& draw : {RandomConv, RandomPointwise, RandomPrologue, RandomDepthwise}) {
      for (int round = 0; round < 6; ++round) {
        Workload w = draw(random);
        if (w.groups > 1 && !w.is_depthwise()) continue;
        const Schedule& schedule = *FindSchedule(w.is_depthwise() ? "conv2d_depthwise" : "conv2d_direct");
        Config config = ValidConfig(schedule, w, MachineModelFor(target), random);
        config.Set("oc_block", lanes * Between(random, 2, 4));
        if (!w.is_depthwise()) {
          config.Set("tile_oc", 1);
          config.Set("tile_ow", 1);
          config.Set("ic_chunk", 0);
          config.Set("ic_block", lanes * Between(random, 1, 4));
          config.Set("unroll_ic", Between(random, 1, 2) * 2);
        }
        ASSERT_EQ(schedule.Reject(w, MachineModelFor(target), config), std::nullopt) << config.ToText();
        CheckCandidate({w, std::string(schedule.name()), config, target}, 8);
      }
    }
  }
}

// The fused activations that tuning does not vary, on channels with a tail: lanes past the channels stay zero.
TEST(ScheduleAgainstReference, EveryActivationKeepsTailLanesZero) {
  const Target target = HostTarget();
  const Workload conv = Workload::Parse("nn.conv2d data=1x5x6x7 weight=19x5x3x3 padding=1x1x1x1 epilogue=bias_act");
  const Workload depthwise =
      Workload::Parse("nn.conv2d data=1x19x6x7 weight=19x1x3x3 padding=1x1x1x1 groups=19 epilogue=bias_act");
  for (const Workload& w : {conv, depthwise}) {
    const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
    std::vector<Epilogue> epilogues{Epilogue::Parse("bias,clip(1,2)")};
    for (const ActivationRow& row : Activations()) {
      Epilogue& epilogue = epilogues.emplace_back();
      epilogue.bias = true;
      epilogue.activation = &row;
      epilogue.hi = 6;
    }
    for (const Epilogue& epilogue : epilogues) {
      SCOPED_TRACE(epilogue.ToText());
      const Candidate candidate{w, std::string(chosen.schedule->name()), chosen.config, target};
      auto compiled = CompileKernel(candidate, epilogue);
      ASSERT_TRUE(std::holds_alternative<Artifact>(compiled));
      const Artifact& artifact = std::get<Artifact>(compiled);
      testing::RunArtifact(artifact, testing::RandomInputs(artifact.operands, 5));
    }
  }
}

}  // namespace
}  // namespace hone
