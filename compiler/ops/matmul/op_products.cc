#include "compiler/ops/matmul/op_products.h"

#include <algorithm>
#include <cmath>

namespace hone::relay {

double LargestPartialSum(const Tensor& weight, double low, double high) {
  const int64_t rows = weight.shape().empty() ? 1 : weight.shape()[0];
  const int64_t row = rows == 0 ? 0 : weight.elements() / rows;
  double largest = 0;
  for (int64_t r = 0; r < rows; ++r) {
    double positive = 0, negative = 0;
    for (int64_t i = r * row; i < (r + 1) * row; ++i) {
      const double value = weight.At(i);
      (value > 0 ? positive : negative) += std::abs(value);
    }
    largest = std::max({largest, positive * high - negative * low, negative * high - positive * low});
  }
  return largest;
}

int64_t ZerosBehindRow(const Shape& shape) {
  constexpr int64_t kFour = 4;
  return (kFour - shape.back() % kFour) % kFour;
}

Tensor RowsInFours(const Tensor& rows) {
  const int64_t columns = rows.shape()[1], padded = columns + ZerosBehindRow(rows.shape());
  Tensor bytes(DType::kInt8, {rows.shape()[0], padded});
  for (int64_t i = 0; i < rows.elements(); ++i) bytes.Set(i / columns * padded + i % columns, rows.At(i));
  return bytes;
}

}  // namespace hone::relay
