// Dimensions that a file leaves free although its operators fix them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

struct FixedDim {
  int64_t extent = 0;
  std::string node;  // that fixes it
};

// By the free dimension's name. The last axis of a past of GroupQueryAttention is the size of a head, which follows
// from the declared shape of the queries. Files of ONNX Runtime GenAI name it, because 8-bit caches may differ there.
std::map<std::string, FixedDim> FixedDims(const OnnxGraph& graph);

}  // namespace hone
