// Sums of whole vectors: of each length and number, of whole numbers that float32 holds.
#include "compiler/codegen/lane_sums.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "compiler/codegen/host.h"
#include "compiler/codegen/object.h"
#include "core/kernel_abi.h"
#include "core/nth.h"
#include "runtime/kernel_launch.h"

namespace hone {
namespace {

// Of `count` vectors of `lanes` lanes that lie one behind the other.
std::vector<float> SumsOf(std::vector<float> memory, int count, int lanes) {
  const Target target = HostTarget();
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage("sums", [&](const StageArgs& args) {
    Vals vectors;
    for (int i = 0; i < count; ++i) vectors.push_back(b.Load(b.At(b.Operand(args, 0), 4 * i * lanes), lanes));
    b.Store(LaneSums(b, vectors), b.Operand(args, 1));
  });
  const KernelLibrary library = KernelLibrary::FromBytes(LinkShared({EmitObject(b, target)}, target), "test");
  std::vector<float> sums(static_cast<size_t>(count) + 1, -1);
  void* operands[] = {memory.data(), sums.data()};
  const int64_t strides[] = {0, 0};
  const hone_kernel_args args{operands, strides, nullptr, nullptr, 0, 1};
  EXPECT_EQ(library.Find("sums")(&args, 0, 1), 0);
  return sums;
}

class LaneSumsOf : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(LaneSumsOf, EachVectorStandInTheVectorsOrder) {
  const auto [count, lanes] = GetParam();
  std::vector<float> memory(static_cast<size_t>(count * lanes));
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>((i * 37 + i / 5) % 101);
  const std::vector<float> got = SumsOf(memory, count, lanes);
  for (int i = 0; i < count; ++i) {
    const auto first = memory.begin() + i * lanes;
    EXPECT_EQ(Nth(got, i), std::accumulate(first, first + lanes, 0.0F)) << i << " of " << count << ", " << lanes;
  }
  EXPECT_EQ(got.back(), -1) << "more was stored than there are vectors";
}

std::vector<std::pair<int, int>> EveryNumberAndLength() {
  std::vector<std::pair<int, int>> all;
  for (int lanes = 1; lanes <= 16; lanes *= 2) {
    for (int count = 1; count <= lanes; count *= 2) all.emplace_back(count, lanes);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Vectors, LaneSumsOf, ::testing::ValuesIn(EveryNumberAndLength()));

}  // namespace
}  // namespace hone
