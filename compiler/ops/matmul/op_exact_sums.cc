#include "compiler/ops/matmul/op_exact_sums.h"

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

}  // namespace hone::relay
