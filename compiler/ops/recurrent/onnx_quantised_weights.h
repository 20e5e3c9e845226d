// The 8-bit weights of DynamicQuantizeLSTM: (directions, inputs, gates * units) of int8 or uint8. `weight`, `scale` and
// `zero_point` are numbers of the node's inputs. Scales and zero points are one per direction, or one per direction and
// column. Each function throws Error(kBadData) for other types or shapes.
#pragma once

#include <optional>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "core/tensor.h"

namespace hone {

// A weight as LSTM has it: (directions, gates * units, inputs).
relay::ExprPtr AsLstm(const OnnxNodeView& view, const relay::ExprPtr& weight);
// (integer - zero point) * scale, as LSTM has it. The zero point is the input behind the scale.
relay::ExprPtr DequantisedWeight(const OnnxNodeView& view, int weight, int scale);
// Integers minus their zero points, if both are known and every result fits int8; else nullopt.
std::optional<Tensor> CentredInt8(const OnnxNodeView& view, int weight, int zero_point);
// (directions, gates * units): one for each column, even if the model has fewer. `weight` is the weight's shape.
relay::ExprPtr ScalesOfColumns(const OnnxNodeView& view, int scale, const Shape& weight);

}  // namespace hone
