// Kernels for AArch64, ARMv7 and RISC-V, compiled here and run under qemu-user.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "tests/support/emulated_kernel.h"
#include "tests/support/emulated_program.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

void ExpectSameAsReference(const Workload& w, const Target& target) {
  const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
  const Candidate candidate{w, std::string(chosen.schedule->name()), chosen.config, target};
  const CompiledKernel kernel = CompileAnchorObject(candidate, CanonicalEpilogue(w));
  const Artifact reference = CompileReference(w, HostTarget());
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : reference.operands) {
    if (operand.role == OperandRole::kOutput) break;
    FillTensor(inputs.emplace_back(operand.dtype, operand.shape), Fill::kNormal, inputs.size());
  }
  const Tensor got = testing::RunEmulated(kernel, target, inputs);
  const auto expected = testing::RunArtifact(reference, inputs);
  // Bytes are exact, so no tolerance is allowed.
  const double least = w.types.data == DType::kFloat32 ? 1e-7 : 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    ASSERT_NEAR(got.At(i), expected[0].At(i), 2e-6 * expected[1].At(i) + least) << w.ToText() << " at " << i;
  }
}

class EmulatedTarget : public ::testing::TestWithParam<const char*> {};

TEST_P(EmulatedTarget, KernelsComputeWhatTheReferenceDoes) {
  const Target target = ResolveTarget(GetParam());
  if (testing::EmulatorFor(target).empty()) GTEST_SKIP() << "no qemu-user-static on the PATH for " << target.triple;
  for (const char* text :
       {"nn.conv2d data=1x19x14x15 weight=21x19x3x3 padding=1x1x1x1 strides=1x2 epilogue=residual",
        "nn.conv2d data=1x19x9x9 weight=19x1x3x3 padding=1x1x1x1 groups=19 epilogue=bias_act",
        "nn.conv2d data=1x24x7x7 weight=40x24x1x1 epilogue=bias_act",
        "nn.conv2d data=2x17x9x9 weight=17x17x1x1 epilogue=residual",
        "nn.dense_blocks data=3x70 weight=37x9 blocks=int4x32,zeros dtype=float32,int32,float32,float32",
        "nn.dense data=3x70 weight=37x70 epilogue=bias_act", "nn.batch_matmul data=2x9x37 weight=2x21x37",
        "nn.batch_matmul data=9x2x37 weight=2x37x24 layouts=MBK,BKN,MBN",
        "nn.batch_matmul data=2x1x37 weight=2x21x37"}) {
    ExpectSameAsReference(Workload::Parse(text), target);
  }
}

TEST_P(EmulatedTarget, BytesGiveTheSameBits) {
  const Target target = ResolveTarget(GetParam());
  if (testing::EmulatorFor(target).empty()) GTEST_SKIP() << "no qemu-user-static on the PATH for " << target.triple;
  for (const char* text :
       {"nn.conv2d data=1x19x14x15 weight=21x19x3x3 padding=1x1x1x1 strides=1x2 epilogue=residual",
        "nn.conv2d data=1x3x15x15 weight=21x3x5x5 strides=2x2 padding=2x2x2x2 epilogue=bias_act",
        "nn.conv2d data=1x19x9x9 weight=19x1x3x3 padding=1x1x1x1 groups=19 epilogue=bias_act",
        "nn.conv2d data=1x24x7x7 weight=40x24x1x1", "nn.dense data=9x72 weight=37x72 epilogue=residual"}) {
    for (const DType output : {DType::kFloat32, DType::kUInt8}) {
      Workload w = Workload::Parse(text);
      w.types = ByteTypes(output);
      ExpectSameAsReference(w, target);
    }
  }
  for (const char* text : {"nn.batch_matmul data=2x9x39 weight=2x21x39",
                           "nn.batch_matmul data=9x2x36 weight=2x36x24 layouts=MBK,BKN,MBN"}) {
    constexpr DType kUnsigned = DType::kUInt8, kSigned = DType::kInt8, kSum = DType::kInt32;
    for (const ElementTypes& types :
         {BytePairTypes(DType::kFloat32), BytePairTypes(DType::kUInt8), BytePairTypes(kSum),
          ElementTypes{kSigned, kSigned, kSum, DType::kFloat32}, ElementTypes{kSigned, kUnsigned, kSum, DType::kUInt8},
          ElementTypes{kUnsigned, kSigned, kSum, kSum}}) {
      Workload w = Workload::Parse(text);
      w.types = types;
      ExpectSameAsReference(w, target);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    CrossTarget, EmulatedTarget,
    ::testing::Values("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "cortex-a76", "neoverse-v1", "cortex-a7",
                      "cortex-a9", "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+a,+c,+d,+f,+m",
                      "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+a,+c,+d,+f,+m,+v",
                      "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+a,+c,+d,+f,+m,+v,+zvl256b"));

// AVX-512's FMA takes a broadcast operand; a spilled accumulator would show as a vector store in the loop.
TEST(CrossTarget, EveryListedArchitectureCompiles) {
  const Workload w = Workload::Parse("nn.conv2d data=1x32x14x14 weight=32x32x3x3 padding=1x1x1x1 epilogue=bias_act");
  for (const char* text :
       {"llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v2", "llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64",
        "llvm -mtriple=x86_64-pc-linux-gnu -mcpu=skylake-avx512", "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",
        "cortex-a8", "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+a,+c,+d,+f,+m,+v"}) {
    const Target target = ResolveTarget(text);
    const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
    ASSERT_NE(chosen.schedule, nullptr);
    const auto result = CompileKernel({w, std::string(chosen.schedule->name()), chosen.config, target});
    EXPECT_TRUE(std::holds_alternative<Artifact>(result)) << text;
  }
}

}  // namespace
}  // namespace hone
