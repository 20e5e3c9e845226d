// LSTM, GRU and RNN, and the LSTM with 8-bit weights that ONNX Runtime's quantiser writes.
#include <fmt/format.h>

#include <optional>

#include "compiler/ops/onnx_families.h"
#include "compiler/ops/recurrent/onnx_layer.h"

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

// Scales or zero points, one per direction or one per direction and column, in a shape that broadcasts to the weight.
ExprPtr PerWeightColumn(const OnnxNodeView& view, int input, const Shape& weight) {
  const Shape& shape = view.InputShape(input);
  const bool each = shape.size() == 2 && shape[0] == weight[0] && shape[1] == weight[2];
  const bool whole = ElementCount(shape) == weight[0] && shape.size() <= 2;
  if (!each && !whole) {
    RefuseNode(fmt::format("scales or zero points of {} for a weight of {}", ShapeText(shape), ShapeText(weight)));
  }
  return view.Reshape(view.Input(input), {weight[0], 1, each ? weight[2] : 1});
}

// Reorders a weight of (directions, inputs, gates * units) as LSTM has it.
ExprPtr AsLstm(const OnnxNodeView& view, const ExprPtr& weight) {
  return view.Call("transpose", {weight}, {{"axes", std::vector<int64_t>{0, 2, 1}}});
}

const Shape& IntegersShape(const OnnxNodeView& view, int weight) {
  const Shape& shape = view.InputShape(weight);
  const DType dtype = view.builder().DTypeOf(view.Input(weight));
  if (shape.size() == 3 && (dtype == DType::kInt8 || dtype == DType::kUInt8)) return shape;
  RefuseNode(fmt::format("input {} is {} of {}; it must have three dims of int8 or uint8", weight, ShapeText(shape),
                         DTypeName(dtype)));
}

// Computes (integer - zero point) * scale.
ExprPtr DequantisedWeight(const OnnxNodeView& view, int weight, int scale) {
  const Shape shape = IntegersShape(view, weight);
  const auto real = [&](const ExprPtr& integers) {
    return view.Call("cast", {integers}, {{"dtype", std::string("float32")}});
  };
  ExprPtr value = real(view.Input(weight));
  if (view.HasInput(scale + 1)) value = view.Call("subtract", {value, real(PerWeightColumn(view, scale + 1, shape))});
  return AsLstm(view, view.Call("multiply", {value, PerWeightColumn(view, scale, shape)}));
}

// Integers minus their zero points, if both are known and every result fits int8; else nullopt.
std::optional<Tensor> CentredInt8(const OnnxNodeView& view, int weight, int zero_point) {
  const Shape& shape = IntegersShape(view, weight);
  const Tensor* integers = view.InputValue(weight);
  const bool shifted = view.HasInput(zero_point);
  const Tensor* zero = shifted ? view.InputValue(zero_point) : nullptr;
  if (integers == nullptr || (shifted && zero == nullptr)) return std::nullopt;
  if (shifted) PerWeightColumn(view, zero_point, shape);  // refuses other shapes
  const int64_t columns = shape[2], each = shape[1] * columns;
  const bool of_columns = shifted && zero->elements() != shape[0];
  Tensor centred(DType::kInt8, shape);
  for (int64_t i = 0; i < integers->elements(); ++i) {
    const int64_t direction = i / each, at = of_columns ? direction * columns + i % columns : direction;
    const double value = integers->At(i) - (shifted ? zero->At(at) : 0);
    if (value < -128 || value > 127) return std::nullopt;
    centred.Set(i, value);
  }
  return centred;
}

// For each direction and column, even if the model has fewer scales.
ExprPtr ScalesOfColumns(const OnnxNodeView& view, int scale, const Shape& weight) {
  const ExprPtr each = PerWeightColumn(view, scale, weight);
  const Shape all{weight[0], 1, weight[2]};
  return view.Reshape(view.Call("broadcast_to", {each}, {{"shape", all}}), {weight[0], weight[2]});
}

// Inputs and states stay floats, although ONNX Runtime rounds them to 8 bits at each step. So do products with the
// inputs. Products with the states read the whole weight at each step, so that it stays in 8 bits if possible.
std::vector<ExprPtr> DynamicQuantizeLstm(const OnnxNodeView& view) {
  const ExprPtr w = DequantisedWeight(view, 1, 8);
  const std::optional<Tensor> r = CentredInt8(view, 2, 11);
  if (!r) return RecurrentLayer(view, LstmCell(view), w, DequantisedWeight(view, 2, 10));
  const ExprPtr scales = ScalesOfColumns(view, 10, r->shape());
  return RecurrentLayer(view, LstmCell(view), w, AsLstm(view, relay::MakeConstant(*r)), scales);
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
