// Schedules on a machine that no table has: their space, estimate and code depend only on its MachineModel.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

MachineModel MadeUp() {
  return {.name = "made-up", .vector_lanes = 8, .vector_registers = 24, .clock_ghz = 2.0, .line_bytes = 128};
}

struct Kernel {
  const char* schedule;
  const char* workload;
  const char* widest;  // the knob for the register tile's width,
  int64_t most;        // and its largest value on 24 registers
};
// Prints the parameter's name in the list of tests.
void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.workload; }
const Kernel kKernels[] = {
    {"conv2d_direct", "nn.conv2d data=1x32x56x56 weight=64x32x3x3 padding=1x1x1x1 epilogue=bias_act", "tile_ow", 22},
    {"conv2d_winograd", "nn.conv2d data=1x32x56x56 weight=64x32x3x3 padding=1x1x1x1 epilogue=bias_act", "tile_ow", 22},
    {"conv2d_dot", "nn.conv2d data=1x32x56x56 weight=1x32x3x3 padding=1x1x1x1 epilogue=bias_act", "tile_ow", 22},
    {"conv2d_depthwise", "nn.conv2d data=1x32x56x56 weight=32x1x3x3 padding=1x1x1x1 groups=32", "tile_ow", 20},
    {"dense_pack", "nn.dense data=20x96 weight=64x96", "oc_block", 128},
    {"dense_blocks", "nn.dense_blocks data=20x96 weight=64x12 blocks=int4x32 dtype=float32,int32,float32,float32",
     "oc_block", 48},
    {"batch_matmul", "nn.batch_matmul data=2x20x96 weight=2x64x96", "oc_block", 64},
};

class MadeUpMachine : public ::testing::TestWithParam<Kernel> {
 protected:
  // The config with the best estimate, among those that prefetch where the schedule can.
  Config Best(const MachineModel& machine) const {
    const ConfigSpace space = schedule_.Space(workload_, machine);
    Config best;
    double least_ns = 1e300;
    for (int64_t i = 0; i < space.size(); ++i) {
      const Config config = space.At(i);
      if (schedule_.Reject(workload_, machine, config) || config.Get("prefetch", 1) == 0) continue;
      const double estimate_ns = schedule_.EstimateNs(workload_, machine, config);
      if (estimate_ns >= least_ns) continue;
      least_ns = estimate_ns;
      best = config;
    }
    return best;
  }
  double BestNs(const MachineModel& machine) const { return schedule_.EstimateNs(workload_, machine, Best(machine)); }

  const Schedule& schedule_ = *FindSchedule(GetParam().schedule);
  const Workload workload_ = Workload::Parse(GetParam().workload);
};

TEST_P(MadeUpMachine, OffersItsLanesAndFillsItsRegisters) {
  const ConfigSpace space = schedule_.Space(workload_, MadeUp());
  for (const Knob& knob : space.knobs()) {
    if (knob.name == "oc_block" || knob.name == "ic_block") {
      for (const int64_t value : knob.values) EXPECT_EQ(value % 8, 0) << knob.name << "=" << value;
    }
    if (knob.name != GetParam().widest) continue;
    EXPECT_EQ(*std::max_element(knob.values.begin(), knob.values.end()), GetParam().most);
  }
  MachineModel fewer = MadeUp();
  fewer.vector_registers = 16;
  int64_t valid = 0, valid_on_fewer = 0;
  for (int64_t i = 0; i < space.size(); ++i) {
    valid += schedule_.Reject(workload_, MadeUp(), space.At(i)) ? 0 : 1;
    valid_on_fewer += schedule_.Reject(workload_, fewer, space.At(i)) ? 0 : 1;
  }
  EXPECT_GT(valid, valid_on_fewer);
}

TEST_P(MadeUpMachine, IsEstimatedByItsFigures) {
  const double ns = BestNs(MadeUp());
  const auto with = [&](const auto& change) {
    MachineModel machine = MadeUp();
    change(machine);
    return BestNs(machine);
  };
  EXPECT_NEAR(with([](MachineModel& m) { m.clock_ghz = 4.0; }), ns / 2, 1e-9 * ns);
  EXPECT_LT(
      with([](MachineModel& m) { m.multiply_adds_per_cycle = m.loads_per_cycle = 4, m.multiply_add_latency = 2; }), ns);
  EXPECT_GT(with([](MachineModel& m) { m.multiply_adds_per_cycle = 0.5; }), ns);
  EXPECT_GT(with([](MachineModel& m) { m.loads_per_cycle = 0.25; }), ns);
}

// A kernel with the widths of its float vectors and the number of its prefetches.
struct Emitted {
  Artifact artifact;
  std::set<unsigned> widths;
  int prefetches = 0;
};

void Collect(const llvm::Instruction& instruction, Emitted& emitted) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (vector != nullptr && vector->getElementType()->isFloatTy()) emitted.widths.insert(vector->getNumElements());
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::prefetch) ++emitted.prefetches;
}

Emitted Emit(const MachineModel& machine, const Schedule& schedule, const Workload& workload, const Config& config) {
  const Target host = HostTarget();
  const Epilogue epilogue = CanonicalEpilogue(workload);
  KernelBuilder builder(host, machine);
  const EmittedKernel kernel = schedule.Emit(builder, workload, machine, config, epilogue, "k");
  Emitted emitted;
  for (const llvm::Function& function : builder.module()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) Collect(instruction, emitted);
  }
  emitted.artifact.elf = LinkShared({EmitObject(builder, host)}, host);
  emitted.artifact.stages = kernel.stages;
  emitted.artifact.shared_workspace_bytes = kernel.shared_workspace_bytes;
  emitted.artifact.operands = schedule.Operands(workload, config, epilogue);
  return emitted;
}

// This machine's vectors may differ: code generation builds the emitted ones from them.
TEST_P(MadeUpMachine, ComputesWhatTheReferenceDoesInVectorsOfItsLanes) {
  const Config config = Best(MadeUp());
  SCOPED_TRACE(config.ToText());
  const Emitted emitted = Emit(MadeUp(), schedule_, workload_, config);
  // conv2d_dot ends with runs of outputs that may be shorter than a vector.
  std::set<unsigned> widths = emitted.widths;
  if (schedule_.name() == "conv2d_dot") std::erase_if(widths, [](unsigned width) { return width < 8; });
  EXPECT_EQ(widths, std::set<unsigned>{8});
  const Artifact reference = CompileReference(workload_, HostTarget());
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : reference.operands) {
    if (operand.role == OperandRole::kOutput) break;
    FillTensor(inputs.emplace_back(DType::kFloat32, operand.shape), Fill::kNormal, inputs.size());
  }
  const Tensor got = testing::RunArtifact(emitted.artifact, inputs)[0];
  const auto expected = testing::RunArtifact(reference, inputs);
  for (int64_t i = 0; i < got.elements(); ++i) {
    ASSERT_NEAR(got.At(i), expected[0].At(i), schedule_.tolerance() * expected[1].At(i) + 1e-7) << "at " << i;
  }
}

TEST(MadeUpLines, AreFetchedOnceEach) {
  const char* const kernels[][3] = {
      {"conv2d_direct", "nn.conv2d data=1x64x1x1 weight=64x64x1x1",
       "oc_block=8 ic_block=8 tile_oc=2 tile_ow=1 prefetch=1"},
      {"conv2d_winograd", "nn.conv2d data=1x16x8x8 weight=16x16x3x3 padding=1x1x1x1",
       "tile_m=2 oc_block=8 ic_block=8 tile_oc=2 tile_ow=2 tile_block=4 loop_order=1 prefetch=1"},
      {"batch_matmul", "nn.batch_matmul data=2x20x96 weight=2x64x96", "oc_block=32 tile_m=4 prefetch=1"}};
  for (const auto& [schedule, workload, config] : kernels) {
    const auto prefetches = [&](int64_t line_bytes) {
      MachineModel machine = MadeUp();
      machine.line_bytes = line_bytes;
      return Emit(machine, *FindSchedule(schedule), Workload::Parse(workload), Config::Parse(config)).prefetches;
    };
    EXPECT_GT(prefetches(128), 0) << schedule;
    EXPECT_EQ(prefetches(64), 2 * prefetches(128)) << schedule;
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, MadeUpMachine, ::testing::ValuesIn(kKernels),
                         [](const auto& kernel) { return std::string(kernel.param.schedule); });

}  // namespace
}  // namespace hone
