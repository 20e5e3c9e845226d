// Every schedule on every vector instruction set of other architectures, over random shapes and configs, under
// qemu-user.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "tests/support/asked_count.h"
#include "tests/support/emulated_kernel.h"
#include "tests/support/emulated_program.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/whole_sums.h"

namespace hone {
namespace {

struct Draw {
  const char* name;
  std::function<Workload(Random&)> workload;
};

// Products of pairs where possible, otherwise single products.
template <Workload (*kDraw)(Random&)>
Workload OfBFloat16(Random& random) {
  Workload w = kDraw(random);
  const bool pairs = !w.is_depthwise() && w.weight[1] % 2 == 0;
  w.types = FloatTypes(DType::kBFloat16, pairs ? DType::kBFloat16 : DType::kFloat32, DType::kBFloat16);
  return w;
}

// A dense layer of one row, as the 1 x 1 convolution that kernels of bytes take.
Workload RandomRow(Random& r) {
  Workload w;
  w.op = "nn.conv2d";
  const int64_t in = testing::Between(r, 1, 200);
  w.data = {1, in, 1, 1};
  w.weight = {testing::Between(r, 1, 150), in, 1, 1};
  w.epilogue = static_cast<EpilogueClass>(testing::Between(r, 0, 2));
  return w;
}

template <Workload (*kDraw)(Random&), DType kOutput>
Workload OfBytes(Random& random) {
  Workload w = kDraw(random);
  w.types = ByteTypes(kOutput);
  return w;
}

// Only data whose elements along K are contiguous have kernels.
template <DType kOutput>
Workload OfPairs(Random& random) {
  Workload w = testing::RandomBatchMatmul(random);
  while (!w.OperandAxes(0).ends_with('K')) w = testing::RandomBatchMatmul(random);
  constexpr DType kBytes[] = {DType::kUInt8, DType::kInt8};
  w.types = {kBytes[random.Below(2)], kBytes[random.Below(2)], DType::kInt32, kOutput};
  return w;
}

const std::vector<Draw>& Draws() {
  static const std::vector<Draw> draws = {{"conv", testing::RandomConv},
                                          {"three_by_three", testing::RandomThreeByThree},
                                          {"few outputs", testing::RandomFewOutputs},
                                          {"pointwise", testing::RandomPointwise},
                                          {"prologue", testing::RandomPrologue},
                                          {"depthwise", testing::RandomDepthwise},
                                          {"dense", testing::RandomDense},
                                          {"dense blocks", testing::RandomDenseBlocks},
                                          {"batch_matmul", testing::RandomBatchMatmul},
                                          {"bfloat16 pointwise", OfBFloat16<testing::RandomPointwise>},
                                          {"bfloat16 few outputs", OfBFloat16<testing::RandomFewOutputs>},
                                          {"bfloat16 depthwise", OfBFloat16<testing::RandomDepthwise>},
                                          {"bfloat16 dense", OfBFloat16<testing::RandomDense>}};
  return draws;
}

// Each workload with byte results, and with float results as in a network's last layer.
const std::vector<Draw>& DrawsOfBytes() {
  using testing::RandomDepthwise, testing::RandomFewOutputs, testing::RandomPointwise, testing::RandomThreeByThree;
  static const std::vector<Draw> draws = {
      {"bytes three_by_three", OfBytes<RandomThreeByThree, DType::kUInt8>},
      {"bytes few outputs", OfBytes<RandomFewOutputs, DType::kUInt8>},
      {"bytes pointwise", OfBytes<RandomPointwise, DType::kUInt8>},
      {"bytes depthwise", OfBytes<RandomDepthwise, DType::kUInt8>},
      {"bytes row", OfBytes<RandomRow, DType::kUInt8>},
      {"bytes batch_matmul", OfPairs<DType::kUInt8>},
      {"bytes to int32 batch_matmul", OfPairs<DType::kInt32>},
      {"bytes to floats three_by_three", OfBytes<RandomThreeByThree, DType::kFloat32>},
      {"bytes to floats pointwise", OfBytes<RandomPointwise, DType::kFloat32>},
      {"bytes to floats depthwise", OfBytes<RandomDepthwise, DType::kFloat32>},
      {"bytes to floats row", OfBytes<RandomRow, DType::kFloat32>}};
  return draws;
}

struct CrossTarget {
  const char* name;
  const char* text;
};
// Prints the parameter's name in the list of tests.
void PrintTo(const CrossTarget& target, std::ostream* out) { *out << target.text; }

const CrossTarget kTargets[] = {
    {"neon", "cortex-a72"},
    {"dotprod", "cortex-a76"},
    {"i8mm", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76 -mattr=+i8mm"},
    {"bf16", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76 -mattr=+bf16"},
    {"armv7", "cortex-a15"},
    {"armv7_nofma", "cortex-a9"},
    {"rv64gc", "rv64gc"},
    {"rvv128", "rv64gcv"},
    {"rvv256", "rv64gcv_zvl256b"},
    {"rvv512", "rv64gcv_zvl512b"},
};

class CrossSchedules : public ::testing::TestWithParam<CrossTarget> {};

std::vector<Tensor> InputsOf(const std::vector<KernelOperand>& operands, uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : operands) {
    if (operand.role == OperandRole::kOutput) break;
    FillTensor(inputs.emplace_back(operand.dtype, operand.shape), Fill::kNormal, seed + inputs.size());
  }
  return inputs;
}

Tensor Computed(const Candidate& candidate, const std::vector<Tensor>& inputs) {
  const CompiledKernel kernel = CompileAnchorObject(candidate, CanonicalEpilogue(candidate.workload));
  return testing::RunEmulated(kernel, candidate.target, inputs);
}

void ExpectRight(const Candidate& candidate, uint64_t seed) {
  const Artifact reference = CompileReference(candidate.workload, HostTarget());
  const std::vector<Tensor> inputs = InputsOf(reference.operands, seed);
  const Tensor got = Computed(candidate, inputs);
  const auto expected = testing::RunArtifact(reference, inputs);
  const double tolerance = FindSchedule(candidate.schedule)->tolerance();
  constexpr double kHalfLastPlace = 1.0 / 256;
  const double rounding = got.dtype() == DType::kBFloat16 ? kHalfLastPlace : 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double bound = tolerance * expected[1].At(i) + rounding * std::fabs(expected[0].At(i)) + 1e-7;
    ASSERT_NEAR(got.At(i), expected[0].At(i), bound) << "at " << i;
  }
}

// Compares with integer sums without any tolerance.
void ExpectBits(const Candidate& candidate, uint64_t seed) {
  const Workload& w = candidate.workload;
  const std::vector<Tensor> inputs = InputsOf(CompileReference(w, HostTarget()).operands, seed);
  const Tensor got = Computed(candidate, inputs);
  const std::vector<double> expected = testing::WholeValues(w, CanonicalEpilogue(w), inputs);
  ASSERT_EQ(static_cast<size_t>(got.elements()), expected.size());
  for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << "at " << i;
}

struct Checked {
  int right = 0;    // kernels that were right before the first failure
  int gave_up = 0;  // kernels on which the emulator gave up
};

// Checks every schedule that accepts the drawn workload.
Checked CheckDraws(const Target& target, const std::vector<Draw>& draws,
                   const std::function<void(const Candidate&, uint64_t)>& check) {
  const MachineModel machine = MachineModelFor(target);
  Random random(17);
  Checked checked;
  for (int round = 0; round < AskedCount(1); ++round) {
    for (const Draw& draw : draws) {
      SCOPED_TRACE(draw.name);
      const Workload w = draw.workload(random);
      for (const Schedule* schedule : SchedulesFor(w, machine)) {
        const Config config = testing::ValidConfig(*schedule, w, machine, random);
        SCOPED_TRACE(w.ToText() + " | " + std::string(schedule->name()) + " " + config.ToText());
        try {
          check({w, std::string(schedule->name()), config, target}, 3);
        } catch (const testing::EmulatorGaveUp&) {
          ++checked.gave_up;
          continue;
        }
        if (::testing::Test::HasFailure()) return checked;
        ++checked.right;
      }
    }
  }
  return checked;
}

TEST_P(CrossSchedules, ComputeWhatTheReferenceDoes) {
  const Target target = ResolveTarget(GetParam().text);
  if (testing::EmulatorFor(target).empty()) GTEST_SKIP() << "no qemu-user-static on the PATH for " << target.triple;
  const Checked checked = CheckDraws(target, Draws(), ExpectRight);
  EXPECT_GE(checked.right, static_cast<int>(Draws().size()));
  EXPECT_EQ(checked.gave_up, 0);
  RecordProperty("checked", checked.right);  // bench/cross prints it
}

TEST_P(CrossSchedules, OfBytesGiveTheBitsOfIntegers) {
  const Target target = ResolveTarget(GetParam().text);
  if (testing::EmulatorFor(target).empty()) GTEST_SKIP() << "no qemu-user-static on the PATH for " << target.triple;
  const Checked checked = CheckDraws(target, DrawsOfBytes(), ExpectBits);
  EXPECT_GE(checked.right, static_cast<int>(DrawsOfBytes().size()));
  EXPECT_EQ(checked.gave_up, 0);
  RecordProperty("checked", checked.right);
}

INSTANTIATE_TEST_SUITE_P(Targets, CrossSchedules, ::testing::ValuesIn(kTargets),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace
}  // namespace hone
