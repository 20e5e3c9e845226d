// Exact sums of products of 8-bit integers, with the kernels for floats.
#pragma once

#include <functional>
#include <optional>

#include "compiler/ops/quantised/onnx_parameters.h"

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

}  // namespace hone
