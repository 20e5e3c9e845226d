// The activation that ONNX Runtime's optimizer merges into a product or a convolution.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// The function that the attribute `activation` names, of x; x itself without one. Its parameters are the attributes
// activation_alpha, _beta and _gamma, or the list activation_params. Throws Error(kBadData) for a name that is not
// known.
relay::ExprPtr MergedActivation(const OnnxNodeView& view, const relay::ExprPtr& x);

}  // namespace hone
