// Random numbers for converters.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Numbers of [0, 1), in float32. A node with the attribute `seed` has the numbers of that seed, whichever node it is;
// any other node has a stream of its own of the model's seed (OnnxImportOptions::seed). They have the given counts.
relay::ExprPtr UniformNumbers(const OnnxNodeView& view, const Shape& shape, const Counts& counts = {});

}  // namespace hone
