// The rows of a convolution's kernel that read inside the image.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_shape.h"

namespace hone {

// The kernel rows [first, end) that output row `row` reads inside the image; constants if no padding clips any. Empty
// if an output row reads only padding.
//
//             kh=0  . . . .     padding
//             kh=1  . . . .     padding       first = 2, end = 5 for this output row (KH = 5)
//             kh=2  # # # #     image row 0
//             kh=3  # # # #     image row 1
//             kh=4  # # # #     image row 2
struct KernelRows {
  Value *first = nullptr, *end = nullptr;
};
KernelRows KernelRowsInside(KernelBuilder& b, const ConvShape& shape, Value* row);

}  // namespace hone
