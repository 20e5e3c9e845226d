// Export to ONNX, for the zoo's networks.
#pragma once

#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// The module as an ONNX model (opset 13, IR 7), with the bound parameters as initializers. Throws Error(kBadData)
// naming an operator that has no ONNX form.
std::string ExportOnnxBytes(const relay::IRModule& module);

}  // namespace hone
