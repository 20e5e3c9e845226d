// The activation that ONNX Runtime's optimizer merges into a product or a convolution.
#pragma once

#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Its parameters, in the order in which the operator of that name has its attributes; those of Clip are its bounds.
using ActivationParameters = std::vector<double>;

// The parameters in a list, the attribute activation_params; empty if it is absent.
ActivationParameters ListedParameters(const OnnxNodeView& view);
// The attributes activation_alpha, _beta and _gamma, as far as they are given.
ActivationParameters NamedParameters(const OnnxNodeView& view);

// The function that the attribute `activation` names, of x; x itself without one. Throws Error(kBadData) for a name
// that is not known.
relay::ExprPtr MergedActivation(const OnnxNodeView& view, const relay::ExprPtr& x,
                                const ActivationParameters& parameters);

}  // namespace hone
