// Fourier transforms of any length out of products with small matrices, turns and transposes.
#pragma once

#include <cstdint>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// `rows` lists of `length` numbers, each of one part (it is real) or of two (real and imaginary).
struct Numbers {
  relay::ExprPtr value;
  int64_t rows = 1, length = 1, parts = 1;
  bool pairs = true;  // rows x length x parts; otherwise rows x parts x length
};

struct Transform {
  int sign = -1;      // of the exponent
  double scale = 1;   // of the result
  int64_t parts = 2;  // of the result's numbers
  bool pairs = true;  // how the result lies
};

// result[k] = scale * sum over n of x[n] exp(sign 2 pi i k n / length), in float32. Time and constants grow with
// length * log(length), whatever the length's factors. Throws as OnnxNodeView::builder().Spend.
Numbers Transformed(const OnnxNodeView& view, const Numbers& x, const Transform& transform);

}  // namespace hone
