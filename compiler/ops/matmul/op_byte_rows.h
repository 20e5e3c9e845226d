// Rows of bytes as kernels multiply them: four at a time, the last four filled up with zeros.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone::relay {

// Number of zeros after a row of the shape's last extent: 0 to 3.
int64_t ZerosBehindRow(const Shape& shape);

// A matrix of integers that fit into int8, as int8, with those zeros.
Tensor RowsInFours(const Tensor& rows);

}  // namespace hone::relay
