// Decision trees read from the lists of ONNX's operators. Both functions throw Error(kBadData), naming a node. They do
// so if lists differ in length, a node occurs twice, or a child or mode does not exist. TreeScores (onnx_table.h)
// checks the ranges of features and targets.
#pragma once

#include <string_view>

#include "compiler/ops/trees/onnx_table.h"

namespace hone {

// For TreeEnsembleClassifier and TreeEnsembleRegressor, which name each node by its tree and a number. `kind` is the
// prefix of the lists of weights, "class" or "target".
TreeTable ReadNamedTrees(const OnnxNodeView& view, std::string_view kind, int64_t targets);

// For TreeEnsemble, whose lists point into each other.
TreeTable ReadLinkedTrees(const OnnxNodeView& view);

}  // namespace hone
