// Decision trees as ONNX lists them, and the call that computes them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

struct TreeTable {
  // A child that is not negative is a node, any other ~leaf; leaves are counted across all trees.
  struct Node {
    int64_t feature = 0;
    float threshold = 0;
    uint8_t outcomes = 0;  // relay::TreeOutcome: what takes the true child
    int64_t yes = 0, no = 0;
  };
  // What a leaf adds to a target.
  struct Weight {
    int64_t leaf = 0, target = 0;
    float value = 0;
  };
  std::vector<Node> nodes;
  std::vector<int64_t> roots;  // likewise a node or ~leaf each
  std::vector<Weight> weights;
  int64_t leaves = 0, targets = 1;
};

enum class TreeAggregate : uint8_t { kAverage = 0, kSum = 1, kMin = 2, kMax = 3 };

// What the trees say of `data`, float32 (rows, features): float32 (rows, targets). A target that no leaf of a row has a
// weight for is 0. Throws Error(kBadData) when there is no tree, a number is out of range, nodes go round in a circle
// or the tables would be many times as large as the lists. Nodes are called by their places in the lists.
relay::ExprPtr TreeScores(const OnnxNodeView& view, const relay::ExprPtr& data, const TreeTable& table,
                          TreeAggregate aggregate);

}  // namespace hone
