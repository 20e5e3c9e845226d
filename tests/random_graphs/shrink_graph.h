// Shrinks a failing graph.
#pragma once

#include <functional>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// The smallest graph, reached in single steps, for which `fails` still holds. A step drops an output, turns a node into
// inputs or removes it, sets an attribute to its default, or shortens an axis. `fails` must hold for `graph`, and is
// called a few hundred times.
OnnxGraph ShrinkGraph(OnnxGraph graph, const std::function<bool(const OnnxGraph&)>& fails);

}  // namespace hone
