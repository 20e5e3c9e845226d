// random.uniform: the published vectors of Philox 4x32-10, and the kernel against its reference, bit by bit.
#include <gtest/gtest.h>

#include <array>

#include "compiler/ops/random/op_philox.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using PhiloxWords = std::array<uint32_t, 4>;

// The known answers in the authors' library Random123, for a counter and a key of zeros, of ones, and of digits of pi.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(Philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void CheckUniform(const Shape& shape, int64_t stream, int64_t word, int64_t seed) {
  SCOPED_TRACE(::testing::Message() << ShapeText(shape) << ", stream " << stream << ", word " << word);
  const relay::ExprPtr key = Param("seed", {}, "", DType::kInt64);
  const relay::Attrs attrs{{"shape", shape}, {"stream", stream}, {"word", word}};
  CheckFunction(Function({key}, relay::MakeCall("random.uniform", {key}, attrs)),
                {Tensor::FromVector<int64_t>(DType::kInt64, {}, {seed})}, 0);
}

TEST(RandomKernel, EqualsItsReference) {
  for (int64_t word = 0; word < 4; ++word) CheckUniform({3, 5, 37}, word, word, -7);
  CheckUniform({}, 3, 0, 1);
  CheckUniform({1000}, int64_t{1} << 40, 1, int64_t{1} << 35);
  CheckUniform({0, 4}, 0, 0, 0);
}

}  // namespace
}  // namespace hone::testing
