// Sums of products of 8-bit integers with the kernels for floats, and still exact.
#pragma once

#include <functional>
#include <optional>

#include "compiler/frontend/onnx/quantised.h"

namespace hone {

// float32 that holds the exact sum, of at most that magnitude; or int32, wrapping.
struct ExactSum {
  relay::ExprPtr value;
  double bound = 0;  // of float32
  bool is_int32 = false;
};

// nn.conv2d, nn.dense or nn.batch_matmul of two float32 tensors, marked as integral where the operator has that.
using ProductOf = std::function<relay::ExprPtr(const relay::ExprPtr& x, const relay::ExprPtr& w)>;

// The product of x and w, each result a sum of `depth` products; with `w_rows` result channel i takes w's row i alone.
//
// float32 adds whole numbers exactly, in any order, as long as no partial sum passes 2^24. Where the weights would let
// one, they are split into digits (w = high * 16 + low), each product is exact by itself, and int32 joins them. nullopt
// when sums are too long for that.
std::optional<ExactSum> ExactProduct(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                                     int64_t depth, bool w_rows, const ProductOf& product);

// With an int32 bias of one value per channel (axis `axis`) added.
ExactSum WithBias(const OnnxNodeView& view, const ExactSum& sum, const relay::ExprPtr& bias, int64_t axis);

// The sum as float32, rounded once where it is past 2^24, and as int32.
relay::ExprPtr SumAsFloat(const OnnxNodeView& view, const ExactSum& sum);
relay::ExprPtr SumAsInt32(const OnnxNodeView& view, const ExactSum& sum);

}  // namespace hone
