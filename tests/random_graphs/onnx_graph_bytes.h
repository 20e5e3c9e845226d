// Writes an OnnxGraph as an ONNX model: the reverse of ParseOnnx.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// Free dims stay free. Outputs are float32; ONNX Runtime wants to know, hone does not look.
std::string OnnxBytes(const OnnxGraph& graph);

OnnxAttribute IntAttribute(int64_t value);
OnnxAttribute IntsAttribute(std::vector<int64_t> values);
OnnxAttribute FloatAttribute(double value);
OnnxAttribute TextAttribute(const std::string& value);
OnnxAttribute TextsAttribute(std::vector<std::string> values);

// The shapes of these values, by name, as hone infers them. Throws Error as importing does.
std::map<std::string, Shape> ShapesOf(OnnxGraph graph, const std::vector<std::string>& names);

}  // namespace hone
