// Sums of products of bytes as kernels of bytes compute them: exact, in int32.
#pragma once

#include "compiler/frontend/onnx/exact_product.h"

namespace hone {

// Whether the product of x with the rows of w is not sure to become one of bytes later: its zero point is not known, or
// sums of it pass what float32 holds.
bool NeedsByteSum(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w);

// The product of uint8 and int8 in int32 less what the zero point adds, zero point * (sum of w's row), which a kernel's
// sums begin with. w's values are known, one row for each output, K of them; `product` is asked for x's integers,
// signed ones 128 higher, and constant int8 weights, both with zeros behind where K does not come in fours. Null when
// w does not fit in int8, x did not come as integers with one zero point, or int32 may not hold the sums.
relay::ExprPtr ByteSum(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                       const ProductOf& product);

// The same of two computed matrices a and b, as MatrixProduct has it: both zero points are taken off by the kernel.
// Null when one is known, when its zero points are several or it did not come as integers, or int32 may not hold the
// sums, each of `depth` products.
relay::ExprPtr ByteSumOfComputed(const OnnxNodeView& view, const WholeNumbers& a, const WholeNumbers& b, int64_t depth);

// The same of an nn.conv2d with these attributes, whose border is filled with the zero point, and `bias` (null: none)
// is added, int32 values of one per output channel. Null, too, for groups of channels that do not come in fours.
relay::ExprPtr ByteConv(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                        const relay::Attrs& attrs, const relay::ExprPtr& bias);

}  // namespace hone
