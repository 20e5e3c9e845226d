// From the bytes of an ONNX model to an OnnxGraph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/external_data.h"
#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// Checks versions, names and dtypes; the order of nodes is the file's. `external` may be null: then external data is
// refused. Adds to `notices` what was changed on the way (float16 read as float32). Throws Error(kBadData).
OnnxGraph ParseOnnx(std::string_view bytes, const ExternalData* external, std::vector<std::string>& notices);
// Reads from an open file, which stays the caller's.
OnnxGraph ParseOnnxFile(int fd, const ExternalData* external, std::vector<std::string>& notices);

}  // namespace hone
