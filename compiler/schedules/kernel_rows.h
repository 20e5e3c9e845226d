// Which rows of a convolution's kernel read inside the image.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv_shape.h"

namespace hone {

// [first, end) of the kernel rows that row `row` of outputs reads inside the image; constants where no padding clips
// any. Empty where a row of outputs sees padding alone.
struct KernelRows {
  Value *first = nullptr, *end = nullptr;
};
KernelRows KernelRowsInside(KernelBuilder& b, const ConvShape& shape, Value* row);

}  // namespace hone
