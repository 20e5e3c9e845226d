#include "compiler/frontend/onnx/positions.h"

#include <numeric>

#include "core/nth.h"

namespace hone {

relay::ExprPtr Positions(int64_t extent, int64_t axis, int64_t rank, int64_t begin) {
  Shape shape(static_cast<size_t>(rank), 1);
  Nth(shape, axis) = extent;
  std::vector<int64_t> values(static_cast<size_t>(extent));
  std::iota(values.begin(), values.end(), begin);
  return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, shape, values));
}

}  // namespace hone
