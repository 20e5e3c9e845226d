// Small random ONNX models.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

struct RandomGraph {
  OnnxGraph graph;
  std::map<std::string, int> refused;  // messages of importing for nodes that were left out, with their counts
};

// Equal seeds give equal graphs. Most are small throughout; every eighth has images of 14 to 56 pixels and few
// nodes, and every eighth is a quantised model. One in fifty also starts with a tensor without elements. Values stay
// within about 1,000 and away from unbounded slopes. Throws Error(kBug) when importing does.
RandomGraph MakeRandomGraph(uint64_t seed);

}  // namespace hone
