#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::MakeCall;

std::vector<int64_t> RandomTable(uint64_t seed) {
  Random random(seed);
  std::vector<int64_t> table;
  table.reserve(256);
  for (int i = 0; i < 256; ++i) table.push_back(static_cast<int64_t>(random.Below(256)));
  return table;
}

Tensor EveryByte(const Shape& shape) {
  Tensor bytes(DType::kUInt8, shape);
  for (int64_t i = 0; i < bytes.elements(); ++i) bytes.Set(i, static_cast<double>(i % 256));
  return bytes;
}

// Whole vectors, tails, vectors of channels, and a single lane.
TEST(ByteTableKernel, LooksEveryByteUp) {
  for (const char* layout : {"", "NCHW16c", "NCHW8c", "NCHW4c"}) {
    for (const Shape& shape : {Shape{1, 32, 3, 100}, Shape{2, 21, 5, 7}, Shape{1, 3, 9, 1}}) {
      const auto x = Param("x", shape, layout, DType::kUInt8);
      const auto function = Function({x}, MakeCall("byte_table", {x}, {{"table", RandomTable(shape[3])}}));
      CheckFunction(function, {EveryByte(shape)}, 0);
    }
  }
}

}  // namespace
}  // namespace hone::testing
