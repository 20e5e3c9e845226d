// Sums of whole vectors, for each length and number of sums, of integers that float32 represents.
#include <gtest/gtest.h>

#include <numeric>
#include <ostream>
#include <type_traits>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/across_lanes.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "core/nth.h"
#include "core/package/kernel_abi.h"
#include "runtime/kernel_launch.h"

namespace hone {
namespace {

// `count` vectors of `lanes` lanes, each of which holds `sums` groups.
struct Vectors {
  int count, lanes, sums;
};
void PrintTo(const Vectors& v, std::ostream* out) { *out << v.count << " of " << v.lanes << ", " << v.sums << " sums"; }

// Sums of vectors that are stored one after another.
template <typename Element>
std::vector<Element> SumsOf(std::vector<Element> memory, const Vectors& v) {
  const DType type = std::is_same_v<Element, float> ? DType::kFloat32 : DType::kInt32;
  const Target target = HostTarget();
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage("sums", [&](const StageArgs& args) {
    Vals vectors;
    for (int i = 0; i < v.count; ++i) {
      vectors.push_back(LoadElements(b, type, b.At(b.Operand(args, 0), Bytes(type, i * v.lanes)), v.lanes));
    }
    b.Store(LaneSums(b, vectors, v.sums), b.Operand(args, 1));
  });
  const KernelLibrary library = KernelLibrary::FromBytes(LinkShared({EmitObject(b, target)}, target), "test");
  std::vector<Element> sums(static_cast<size_t>(v.count * v.sums) + 1, -1);
  void* operands[] = {memory.data(), sums.data()};
  const int64_t strides[] = {0, 0};
  const hone_kernel_args args{operands, strides, nullptr, nullptr, 0, 1};
  EXPECT_EQ(library.Find("sums")(&args, 0, 1), 0);
  return sums;
}

template <typename Element>
void ExpectEveryGroupsSum(const Vectors& v) {
  std::vector<Element> memory(static_cast<size_t>(v.count * v.lanes));
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<Element>((i * 37 + i / 5) % 101);
  const std::vector<Element> got = SumsOf(memory, v);
  const int length = v.lanes / v.sums;
  for (int i = 0; i < v.count * v.sums; ++i) {
    const auto first = memory.begin() + i * length;
    EXPECT_EQ(Nth(got, i), std::accumulate(first, first + length, Element{0})) << "sum " << i;
  }
  EXPECT_EQ(got.back(), -1) << "more was stored than there are groups";
}

class LaneSumsOf : public ::testing::TestWithParam<Vectors> {};

TEST_P(LaneSumsOf, EveryGroupStandInTheVectorsOrder) {
  ExpectEveryGroupsSum<float>(GetParam());
  ExpectEveryGroupsSum<int32_t>(GetParam());
}

std::vector<Vectors> EveryNumberAndLength() {
  std::vector<Vectors> all;
  for (int lanes = 1; lanes <= 16; lanes *= 2) {
    for (int sums = 1; sums <= lanes; sums *= 2) {
      for (int count = 1; count * sums <= lanes; count *= 2) all.push_back({count, lanes, sums});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Vectors, LaneSumsOf, ::testing::ValuesIn(EveryNumberAndLength()));

}  // namespace
}  // namespace hone
