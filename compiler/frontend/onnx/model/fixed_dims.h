// Dimensions that a file leaves free although its operators fix them, or want no more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

struct FixedDim {
  int64_t extent = 0;
  std::string node;  // that fixes it
};

// By the free dimension's name, the largest that a node wants. The last axis of a past of GroupQueryAttention is the
// size of a head, which follows from the declared shape of the queries. Files of ONNX Runtime GenAI name it, because
// 8-bit caches may differ there. The rows of a cache of a window are the window's; a caller who wants room for more
// gives their number.
std::map<std::string, FixedDim> FixedDims(const OnnxGraph& graph);

// The window of a GroupQueryAttention whose cache keeps its rows and drops the oldest; nullopt for any other node.
std::optional<int64_t> WindowOfCache(const OnnxNode& node);

}  // namespace hone
