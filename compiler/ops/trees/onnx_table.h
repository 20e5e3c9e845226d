// Decision trees as lists, and the call that evaluates them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

struct TreeTable {
  // A nonnegative child is a node, any other ~leaf. Leaves are counted across all trees.
  struct Node {
    int64_t feature = 0;
    float threshold = 0;
    uint8_t outcomes = 0;  // relay::TreeOutcome: the outcomes that lead to the true child
    int64_t yes = 0, no = 0;
  };
  // A leaf's contribution to a target.
  struct Weight {
    int64_t leaf = 0, target = 0;
    float value = 0;
  };
  std::vector<Node> nodes;
  std::vector<int64_t> roots;  // a node or ~leaf each
  std::vector<Weight> weights;
  int64_t leaves = 0, targets = 1;
};

enum class TreeAggregate : uint8_t { kAverage = 0, kSum = 1, kMin = 2, kMax = 3 };

// The trees' scores for `data`: float32 (rows, features) gives float32 (rows, targets). A target for which no leaf of a
// row has a weight is 0. Throws Error(kBadData) if there is no tree, a number is out of range, or nodes form a cycle.
// It throws also if the tables would be many times as large as the lists. Messages name nodes by their positions in the
// lists.
relay::ExprPtr TreeScores(const OnnxNodeView& view, const relay::ExprPtr& data, const TreeTable& table,
                          TreeAggregate aggregate);

}  // namespace hone
