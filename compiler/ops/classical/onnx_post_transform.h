// Final transforms of the scores of classical models (ai.onnx.ml).
#pragma once

#include <string_view>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// `scores` is float32 (rows, targets); `name` is ONNX's: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT. PROBIT is
// Winitzki's formula for the inverse of erf, as in ONNX Runtime (within 0.006 of the exact value). Throws
// Error(kBadData) for any other name.
relay::ExprPtr PostTransform(const OnnxNodeView& view, const relay::ExprPtr& scores, std::string_view name);

}  // namespace hone
