#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "compiler/codegen/math/rounding.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "core/package/kernel_abi.h"
#include "core/random.h"
#include "runtime/kernel_launch.h"

namespace hone {
namespace {

constexpr int kLanes = 16, kVectors = 2048;

// A number of up to 2^40 with random bits after the point.
float Draw(Random& random) {
  const auto bits = static_cast<uint32_t>(random.Below(uint64_t{1} << 23));
  const auto exponent = static_cast<uint32_t>(87 + random.Below(80));
  const auto sign = static_cast<uint32_t>(random.Below(2));
  return std::bit_cast<float>(sign << 31 | exponent << 23 | bits);
}

void ExpectQuotients(float divisor, Random& random) {
  const Target target = HostTarget();
  MachineModel machine = MachineModelFor(target);
  machine.division_cost = 32;
  KernelBuilder b(target, machine);
  b.Stage("divide", [&](const StageArgs& args) {
    b.For(args.begin, args.end, 1, [&](Value* vector) {
      Value* at = b.At(b.Operand(args, 0), b.Mul(vector, int64_t{4} * kLanes));
      b.Store(EmitDivideBy(b, b.Load(at, kLanes), divisor), at);
    });
  });
  const KernelLibrary library = KernelLibrary::FromBytes(LinkShared({EmitObject(b, target)}, target), "test");
  std::vector<float> values(size_t{kLanes} * kVectors);
  for (float& value : values) value = Draw(random);
  const std::vector<float> given = values;
  std::array<void*, 1> operands{values.data()};
  const std::array<int64_t, 1> strides{0};
  const hone_kernel_args args{operands.data(), strides.data(), nullptr, nullptr, 0, 1};
  ASSERT_EQ(library.Find("divide")(&args, 0, kVectors), 0);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], given[i] / divisor) << given[i] << " / " << divisor;
}

TEST(DivideBy, GivesTheInstructionsBits) {
  Random random(1);
  // All bits set, all but one, one bit, powers of two, and divisors far from one.
  for (const float divisor : {0x1.fffffep0F, 0x1.fffffcp-3F, 0x1.000002p0F, 0.25F, -3.0F, 1e-30F, 1e30F}) {
    ExpectQuotients(divisor, random);
  }
  for (int round = 0; round < 40; ++round) ExpectQuotients(Draw(random), random);
}

TEST(DivideBy, TakesTheInstructionWhereItIsNoSlower) {
  MachineModel machine = MachineModelFor(HostTarget());
  machine.division_cost = 32;
  EXPECT_EQ(DividesByProducts(machine, 3), machine.has_fma);
  EXPECT_FALSE(DividesByProducts(machine, 4)) << "whose reciprocal is exact";
  machine.division_cost = 3;
  EXPECT_FALSE(DividesByProducts(machine, 3));
}

}  // namespace
}  // namespace hone
