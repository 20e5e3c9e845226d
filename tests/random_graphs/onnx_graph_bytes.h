// Writes an OnnxGraph as an ONNX model: the reverse of ParseOnnx.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// Dynamic dimensions stay dynamic. Outputs are declared float32, which ONNX Runtime requires and hone ignores.
std::string OnnxBytes(const OnnxGraph& graph);

OnnxAttribute IntAttribute(int64_t value);
OnnxAttribute IntsAttribute(std::vector<int64_t> values);
OnnxAttribute FloatAttribute(double value);
OnnxAttribute TextAttribute(const std::string& value);
OnnxAttribute TextsAttribute(std::vector<std::string> values);

// The shapes of the values `names`, as hone infers them. Throws the Errors of importing.
std::map<std::string, Shape> ShapesOf(OnnxGraph graph, const std::vector<std::string>& names);

}  // namespace hone
