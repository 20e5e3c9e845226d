// Exact sums of products of 8-bit integers: by the kernels for floats, or in the form that kernels of bytes compute.
#pragma once

#include <functional>
#include <optional>

#include "compiler/ops/quantised/onnx.h"

namespace hone {

// The exact sum as float32, with magnitude of at most `bound`; or int32, wrapping.
struct ExactSum {
  relay::ExprPtr value;
  double bound = 0;  // for float32
  bool is_int32 = false;
};

// Makes an nn.conv2d, nn.dense or nn.batch_matmul of two float32 tensors, marked integral if the operator has that
// mark.
using ProductOf = std::function<relay::ExprPtr(const relay::ExprPtr& x, const relay::ExprPtr& w)>;

// The product of x and w, each result a sum of `depth` products. With `w_rows`, result channel i takes only w's row i.
//
// float32 adds integers exactly, in any order, as long as no partial sum exceeds 2^24. If the weights could exceed it,
// they are split into digits (w = high * 16 + low). Each product is then exact, and int32 joins them. nullopt if sums
// are too long for that.
std::optional<ExactSum> ExactProduct(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                                     int64_t depth, bool w_rows, const ProductOf& product);

// Adds an int32 bias of one value per channel (axis `axis`).
ExactSum WithBias(const OnnxNodeView& view, const ExactSum& sum, const relay::ExprPtr& bias, int64_t axis);

// The sum as float32, rounded once if it is beyond 2^24, and as int32.
relay::ExprPtr SumAsFloat(const OnnxNodeView& view, const ExactSum& sum);
relay::ExprPtr SumAsInt32(const OnnxNodeView& view, const ExactSum& sum);

// Whether the product of x with the rows of w must become a product of bytes here. Passes might not make it one later:
// its zero point is not known, or its sums exceed what float32 holds.
bool NeedsByteSum(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w);

// The int32 product of uint8 and int8, minus zero point * (sum of w's row); a kernel's sums begin with that offset. The
// values of w are known, one row of K values for each output. `product` gets x's integers, with signed ones 128 higher,
// and constant int8 weights. Both have zeros at the end if K is no multiple of four. Null if w does not fit into int8,
// or if x did not come as integers with one zero point. Also null if int32 may not hold the sums.
relay::ExprPtr ByteSum(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                       const ProductOf& product);

// The int32 product of two computed matrices a and b, as MatrixProduct takes them. The kernel subtracts both zero
// points. Null if one matrix is known, has several zero points or did not come as integers. Also null if int32 may not
// hold the sums of `depth` products each.
relay::ExprPtr ByteSumOfComputed(const OnnxNodeView& view, const WholeNumbers& a, const WholeNumbers& b, int64_t depth);

// The int32 sums of ByteSum for an nn.conv2d with these attributes, whose border is filled with the zero point. `bias`
// (null if absent) is added: int32, one value per output channel. Null as in ByteSum. Also null for several groups
// whose number of channels is no multiple of four.
relay::ExprPtr ByteConv(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                        const relay::Attrs& attrs, const relay::ExprPtr& bias);

}  // namespace hone
