// Turns the bytes of an ONNX model into an OnnxGraph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/file/external_data.h"
#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

constexpr char kNotOnnx[] = "not an ONNX model, or a damaged one";

// Checks versions, names and dtypes; nodes keep the file's order. If `external` is null, external data is refused. Adds
// conversions (float16 read as float32) to `notices`. Throws Error(kBadData).
OnnxGraph ParseOnnx(std::string_view bytes, const ExternalData* external, std::vector<std::string>& notices);
// Reads from an open file; the descriptor remains the caller's.
OnnxGraph ParseOnnxFile(int fd, const ExternalData* external, std::vector<std::string>& notices);

}  // namespace hone
