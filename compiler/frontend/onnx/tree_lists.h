// Decision trees read from the lists that ONNX's operators hold. Both throw Error(kBadData), naming a node, when lists
// differ in length, a node is there twice, a child or a mode is none; ranges of features and targets are TreeScores'
// (tree_table.h).
#pragma once

#include <string_view>

#include "compiler/frontend/onnx/tree_table.h"

namespace hone {

// Of TreeEnsembleClassifier and TreeEnsembleRegressor, which name each node by its tree and a number. `kind` is how the
// lists of weights begin, "class" or "target".
TreeTable ReadNamedTrees(const OnnxNodeView& view, std::string_view kind, int64_t targets);

// Of TreeEnsemble, whose lists point into each other.
TreeTable ReadLinkedTrees(const OnnxNodeView& view);

}  // namespace hone
