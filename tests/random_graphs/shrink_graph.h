// Makes a graph that fails smaller.
#pragma once

#include <functional>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// The smallest graph for which `fails` still holds that single steps lead to: fewer outputs, nodes that become inputs
// or vanish, attributes at their defaults, shorter axes. `fails` holds for `graph`, and is asked a few hundred times.
OnnxGraph ShrinkGraph(OnnxGraph graph, const std::function<bool(const OnnxGraph&)>& fails);

}  // namespace hone
