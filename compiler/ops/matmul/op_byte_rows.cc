#include "compiler/ops/matmul/op_byte_rows.h"

namespace hone::relay {

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
