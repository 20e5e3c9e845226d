// LSTM, GRU and RNN, and the LSTM of 8-bit weights that ONNX Runtime's quantiser writes.
#include <fmt/format.h>

#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/frontend/onnx/recurrent_layer.h"

namespace hone {
namespace {

using relay::CellKind;
using relay::ExprPtr;
using relay::RecurrentCell;

RecurrentCell CellOf(CellKind kind) {
  RecurrentCell cell;
  cell.kind = kind;
  return cell;
}

RecurrentCell LstmCell(const OnnxNodeView& view) {
  RecurrentCell cell = CellOf(CellKind::kLstm);
  cell.input_forget = view.Int("input_forget", 0) != 0;
  return cell;
}

std::vector<ExprPtr> Lstm(const OnnxNodeView& view) {
  return RecurrentLayer(view, LstmCell(view), view.Input(1), view.Input(2));
}

std::vector<ExprPtr> Gru(const OnnxNodeView& view) {
  const bool after = view.Int("linear_before_reset", 0) != 0;
  return RecurrentLayer(view, CellOf(after ? CellKind::kGruResetAfter : CellKind::kGru), view.Input(1), view.Input(2));
}

std::vector<ExprPtr> Rnn(const OnnxNodeView& view) {
  return RecurrentLayer(view, CellOf(CellKind::kRnn), view.Input(1), view.Input(2));
}

// Scales or zero points, one per direction or one per direction and column, so that they broadcast to the weight.
ExprPtr PerColumn(const OnnxNodeView& view, int input, const Shape& weight) {
  const Shape& shape = view.InputShape(input);
  const bool each = shape.size() == 2 && shape[0] == weight[0] && shape[1] == weight[2];
  const bool whole = ElementCount(shape) == weight[0] && shape.size() <= 2;
  if (!each && !whole) {
    RefuseNode(fmt::format("scales or zero points of {} for a weight of {}", ShapeText(shape), ShapeText(weight)));
  }
  return view.Reshape(view.Input(input), {weight[0], 1, each ? weight[2] : 1});
}

// (integer - zero point) * scale of a weight that lies (directions, inputs, gates * units), as LSTM has it.
ExprPtr Dequantised(const OnnxNodeView& view, int weight, int scale) {
  const Shape shape = view.InputShape(weight);
  const DType dtype = view.builder().DTypeOf(view.Input(weight));
  if (shape.size() != 3 || (dtype != DType::kInt8 && dtype != DType::kUInt8)) {
    RefuseNode(fmt::format("input {} is {} of {}; it must have three dims of int8 or uint8", weight, ShapeText(shape),
                           DTypeName(dtype)));
  }
  const auto real = [&](const ExprPtr& integers) {
    return view.Call("cast", {integers}, {{"dtype", std::string("float32")}});
  };
  ExprPtr value = real(view.Input(weight));
  if (view.HasInput(scale + 1)) value = view.Call("subtract", {value, real(PerColumn(view, scale + 1, shape))});
  value = view.Call("multiply", {value, PerColumn(view, scale, shape)});
  return view.Call("transpose", {value}, {{"axes", std::vector<int64_t>{0, 2, 1}}});
}

// Inputs and states stay floats, which ONNX Runtime rounds to 8 bits at each step.
std::vector<ExprPtr> DynamicQuantizeLstm(const OnnxNodeView& view) {
  return RecurrentLayer(view, LstmCell(view), Dequantised(view, 1, 8), Dequantised(view, 2, 10));
}

}  // namespace

OnnxOperatorTable RecurrentOperators() {
  const std::vector<std::string_view> lstm{"activation_alpha", "activation_beta", "activations",  "clip",
                                           "direction",        "hidden_size",     "input_forget", "layout"};
  return {{"LSTM", 3, 8, Lstm, lstm},
          {"GRU",
           3,
           6,
           Gru,
           {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout",
            "linear_before_reset"}},
          {"RNN",
           3,
           6,
           Rnn,
           {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout"}},
          {"DynamicQuantizeLSTM", 3, 12, DynamicQuantizeLstm, lstm, kMicrosoft}};
}

}  // namespace hone
