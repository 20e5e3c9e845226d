// Fourier transforms of any length, from products with small matrices, twiddle factors and transposes.
#pragma once

#include <cstdint>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// `rows` lists of `length` numbers, each of one part (real) or two (real and imaginary).
struct Numbers {
  relay::ExprPtr value;
  int64_t rows = 1, length = 1, parts = 1;
  bool pairs = true;  // rows x length x parts; otherwise rows x parts x length
};

struct Transform {
  int sign = -1;      // sign of the exponent
  double scale = 1;   // factor of the result
  int64_t parts = 2;  // parts of the result's numbers
  bool pairs = true;  // order of the result, as in Numbers
};

// result[k] = scale * sum over n of x[n] exp(sign 2 pi i k n / length), in float32. Whatever the length's factors, time
// and constants grow with length * log(length). Throws as OnnxNodeView::builder().Spend.
Numbers Transformed(const OnnxNodeView& view, const Numbers& x, const Transform& transform);

}  // namespace hone
