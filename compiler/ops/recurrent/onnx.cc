// LSTM, GRU and RNN, and the LSTM with 8-bit weights that ONNX Runtime's quantiser writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/recurrent/onnx_quantised_weights.h"
#include "compiler/ops/recurrent/op_cell.h"
#include "core/nth.h"
#include "core/text/printable.h"

namespace hone {
namespace {

// A node's extents, checked against its inputs.
struct RecurrentExtents {
  int64_t steps = 0, rows = 0, inputs = 0, units = 0;
  bool rows_first = false;  // layout = 1: rows precede steps and directions
};

using relay::CellActivation;
using relay::CellFunctionRow;
using relay::CellKind;
using relay::ExprPtr;
using relay::kRecurrentBlock;
using relay::RecurrentCell;
using Axes = std::vector<int64_t>;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Ignores case, because some exporters write names differently.
const CellFunctionRow& FunctionNamed(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CellFunctionRow& row : relay::CellFunctions()) {
    if (Lower(std::string(row.onnx)) == Lower(name)) return row;
    names.push_back(row.onnx);
  }
  RefuseNode(fmt::format("the activation \"{}\" is not one of {}", name, fmt::join(names, ", ")));
}

std::vector<std::string> NamesOfActivations(const OnnxNodeView& view, const RecurrentCell& cell) {
  const OnnxAttribute* given = view.Find("activations");
  if (given != nullptr && !given->strings.empty()) return given->strings;
  static constexpr std::array<const char*, 3> kUsual{"Sigmoid", "Tanh", "Tanh"};
  std::vector<std::string> names;
  for (int64_t d = 0; d < cell.directions(); ++d) {
    for (int64_t i = 0; i < cell.functions(); ++i) names.emplace_back(cell.functions() == 1 ? "Tanh" : Nth(kUsual, i));
  }
  return names;
}

std::vector<double> FloatsAttribute(const OnnxNodeView& view, std::string_view name) {
  const OnnxAttribute* given = view.Find(name);
  return given != nullptr ? given->floats : std::vector<double>();
}

std::vector<bool> Directions(const OnnxNodeView& view) {
  const std::string direction = Lower(view.String("direction", "forward"));
  if (direction == "forward") return {false};
  if (direction == "reverse") return {true};
  if (direction == "bidirectional") return {false, true};
  RefuseNode(fmt::format("direction is \"{}\"; it may be forward, reverse or bidirectional", direction));
}

// The transpose; a reshape if only one of the swapped axes has more than one position.
ExprPtr Swapped(const OnnxNodeView& view, const ExprPtr& expr, size_t axis) {
  Shape shape = view.builder().ShapeOf(expr);
  Axes axes(shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::swap(axes[axis], axes[axis + 1]);
  std::swap(shape[axis], shape[axis + 1]);
  if (shape[axis] == 1 || shape[axis + 1] == 1) return view.Reshape(expr, shape);
  return view.Call("transpose", {expr}, {{"axes", axes}});
}

// The functions named by `activations`, with activation_alpha and activation_beta; ONNX's defaults if none are named.
// Throws Error(kBadData) naming an unknown one.
std::vector<CellActivation> ReadActivations(const OnnxNodeView& view, const RecurrentCell& cell) {
  const std::vector<std::string> names = NamesOfActivations(view, cell);
  if (static_cast<int64_t>(names.size()) != cell.functions() * cell.directions()) {
    RefuseNode(
        fmt::format("{}; it takes {}", Counted(names.size(), "activation"), cell.functions() * cell.directions()));
  }
  const std::vector<double> alphas = FloatsAttribute(view, "activation_alpha"),
                            betas = FloatsAttribute(view, "activation_beta");
  size_t alpha = 0, beta = 0;
  std::vector<CellActivation> activations;
  for (const std::string& name : names) {
    const CellFunctionRow& row = FunctionNamed(name);
    CellActivation activation{row.function, row.alpha, row.beta};
    // Each function takes as many of the next numbers as it has parameters.
    if (row.parameters > 0 && alpha < alphas.size()) activation.alpha = alphas[alpha++];
    if (row.parameters > 1 && beta < betas.size()) activation.beta = betas[beta++];
    activations.push_back(activation);
  }
  return activations;
}

class RecurrentFormula {
 public:
  RecurrentFormula(const OnnxNodeView& view, RecurrentCell cell, ExprPtr w, ExprPtr r, ExprPtr scales)
      : view_(view), cell_(std::move(cell)), w_(std::move(w)), r_(std::move(r)), scales_(std::move(scales)) {
    cell_.reversed = Directions(view);
    cell_.activations = ReadActivations(view, cell_);
    const double clip = view.Float("clip", 0);
    if (clip < 0) RefuseNode(fmt::format("clip is {}; it may not be negative", clip));
    if (clip > 0) cell_.clip = clip;
    ReadExtents();
  }

  std::vector<ExprPtr> Results() {
    std::vector<ExprPtr> args{Data(), Packed(), State(5, "initial_h")};
    // A given state may be a parameter whose values are replaced later, even if it is zeros.
    cell_.zero_state = !view_.HasInput(5);
    if (cell_.kind == CellKind::kLstm) args.push_back(State(6, "initial_c"));
    if (cell_.kind == CellKind::kGruResetAfter) args.push_back(BiasPart(gates() * units(), 2 * units(), units()));
    if (view_.HasInput(7)) {
      cell_.peepholes = true;
      args.push_back(view_.Reshape(Checked(7, "P", {directions(), 3 * units()}), {directions(), 3, units()}));
    }
    if (scales_ != nullptr) {
      cell_.scales = true;
      args.push_back(scales_);
    }
    if (const ExprPtr lengths = Lengths()) {
      cell_.lengths = true;
      args.push_back(lengths);
    }
    const ExprPtr all = view_.builder().Uncounted("nn.recurrent", args, relay::RecurrentAttrs(cell_));
    std::vector<ExprPtr> results{States(view_.builder().Item(all, 0)), LastState(view_.builder().Item(all, 1))};
    if (cell_.kind == CellKind::kLstm) results.push_back(LastState(view_.builder().Item(all, 2)));
    SetCounts(results);
    return results;
  }

 private:
  int64_t directions() const { return cell_.directions(); }
  int64_t gates() const { return cell_.gates(); }
  int64_t units() const { return extents_.units; }

  const ExprPtr& Checked(int input, const char* name, const Shape& wanted) const {
    Require(view_.Input(input), name, wanted);
    return view_.Input(input);
  }
  void Require(const ExprPtr& expr, const char* name, const Shape& wanted) const {
    const Shape& shape = view_.builder().ShapeOf(expr);
    if (shape != wanted) RefuseNode(fmt::format("{} is {}, it must be {}", name, ShapeText(shape), ShapeText(wanted)));
  }

  void ReadExtents() {
    const Shape &x = view_.InputShape(0), &r = view_.builder().ShapeOf(r_);
    const int64_t layout = view_.Int("layout", 0);
    if (layout != 0 && layout != 1) RefuseNode(fmt::format("layout is {}; it may be 0 or 1", layout));
    if (x.size() != 3 || ElementCount(x) == 0) {
      RefuseNode(fmt::format("X is {}; it must have three dims, none of them 0", ShapeText(x)));
    }
    if (r.size() != 3) RefuseNode(fmt::format("R is {}; it must have three dims", ShapeText(r)));
    extents_ = {x[0], x[1], x[2], view_.Int("hidden_size", r[2]), layout == 1};
    if (extents_.rows_first) std::swap(extents_.steps, extents_.rows);
    if (units() < 1 || units() != r[2]) {
      RefuseNode(
          fmt::format("hidden_size is {} and R is {}; R's last dim must equal hidden_size", units(), ShapeText(r)));
    }
    Require(r_, "R", {directions(), gates() * units(), units()});
    Require(w_, "W", {directions(), gates() * units(), extents_.inputs});
    if (view_.HasInput(3)) Checked(3, "B", {directions(), 2 * gates() * units()});
  }

  // `count` columns of B from `from` on, or zeros.
  ExprPtr BiasPart(int64_t half, int64_t from, int64_t count) const {
    if (!view_.HasInput(3)) return relay::MakeConstant(Tensor(DType::kFloat32, {directions(), count}));
    return view_.Call(
        "strided_slice", {view_.Input(3)},
        {{"begin", Axes{half + from}}, {"end", Axes{half + from + count}}, {"strides", Axes{1}}, {"axes", Axes{1}}});
  }

  // Both biases of all gates. If the reset gate applies after the product, the candidate's second bias stays separate.
  ExprPtr Bias() const {
    const int64_t half = gates() * units();
    if (cell_.kind != CellKind::kGruResetAfter) {
      return view_.Call("add", {BiasPart(0, 0, half), BiasPart(half, 0, half)});
    }
    const ExprPtr both = view_.Call("add", {BiasPart(0, 0, 2 * units()), BiasPart(half, 0, 2 * units())});
    return view_.builder().CallOnTuple("concatenate", {both, BiasPart(0, 2 * units(), units())},
                                       {{"axis", int64_t{1}}});
  }

  // W x + b for all steps, rows and directions, as one product.
  ExprPtr Data() const {
    const int64_t columns = directions() * gates() * units(), rows = extents_.steps * extents_.rows;
    ExprPtr x = view_.Input(0);
    if (AnyCounted(view_.builder(), {x})) {
      // Rows are computed apart from each other, and the lengths end the loop over the steps.
      x = view_.builder().Uncounted("reshape", {x}, {{"newshape", view_.InputShape(0)}});
    }
    if (extents_.rows_first) x = Swapped(view_, x, 0);
    const ExprPtr w = view_.Reshape(w_, {columns, extents_.inputs});
    ExprPtr product = view_.Call("nn.dense", {view_.Reshape(x, {rows, extents_.inputs}), w}, {{"units", columns}});
    if (view_.HasInput(3)) product = view_.Call("nn.bias_add", {product, view_.Reshape(Bias(), {columns})});
    return view_.Reshape(product, {extents_.steps, extents_.rows, directions(), gates() * units()});
  }

  // R in the order of nn.recurrent: (directions, blocks, units, gates, 16).
  ExprPtr Packed() const {
    const int64_t blocks = (units() + kRecurrentBlock - 1) / kRecurrentBlock, wide = blocks * kRecurrentBlock;
    ExprPtr r = view_.Reshape(r_, {directions(), gates(), units(), units()});
    if (wide > units()) r = view_.Call("nn.pad", {r}, {{"pad_width", Axes{0, 0, 0, 0, 0, wide - units(), 0, 0}}});
    r = view_.Reshape(r, {directions(), gates(), blocks, kRecurrentBlock, units()});
    return view_.Call("transpose", {r}, {{"axes", Axes{0, 2, 4, 1, 3}}});
  }

  ExprPtr State(int input, const char* name) const {
    const Shape shape{directions(), extents_.rows, units()};
    if (!view_.HasInput(input)) return relay::MakeConstant(Tensor(DType::kFloat32, shape));
    if (!extents_.rows_first) return Checked(input, name, shape);
    return Swapped(view_, Checked(input, name, {extents_.rows, directions(), units()}), 0);
  }

  // Null if every row has all steps.
  ExprPtr Lengths() const {
    TypedBuilder& builder = view_.builder();
    const int64_t axis = extents_.rows_first ? 1 : 0;
    if (!view_.HasInput(4) && IsCounted(builder, view_.Input(0), axis)) {
      const ExprPtr steps = AsDType(view_, ExtentOf(builder, view_.Input(0), axis), DType::kInt32);
      return builder.Uncounted("broadcast_to", {steps}, {{"shape", Shape{extents_.rows}}});
    }
    if (!view_.HasInput(4)) return nullptr;
    Checked(4, "sequence_lens", {extents_.rows});
    const ExprPtr lengths = FillBehindCounts(builder, view_.Input(4), 0);
    if (const Tensor* value = view_.InputValue(4)) {
      bool all = true;
      for (int64_t i = 0; i < value->elements(); ++i) all = all && value->At(i) == static_cast<double>(extents_.steps);
      if (all) return nullptr;
    }
    if (view_.builder().DTypeOf(lengths) == DType::kInt32) return lengths;
    return view_.Call("cast", {lengths}, {{"dtype", std::string("int32")}});
  }

  // The results have the counts of the input's steps and rows.
  void SetCounts(const std::vector<ExprPtr>& results) const {
    Counts given = view_.builder().CountsOf(view_.Input(0));
    given.resize(3);
    const ExprPtr steps = given[extents_.rows_first ? 1 : 0], rows = given[extents_.rows_first ? 0 : 1];
    const bool first = extents_.rows_first;
    view_.builder().SetCounts(results[0],
                              first ? Counts{rows, steps, nullptr, nullptr} : Counts{steps, nullptr, rows, nullptr});
    for (size_t i = 1; i < results.size(); ++i) {
      view_.builder().SetCounts(results[i], first ? Counts{rows, nullptr, nullptr} : Counts{nullptr, rows, nullptr});
    }
  }

  // The states in ONNX's order, (steps, rows, directions, units).
  ExprPtr States(const ExprPtr& states) const { return Swapped(view_, states, extents_.rows_first ? 0 : 1); }
  ExprPtr LastState(const ExprPtr& state) const { return extents_.rows_first ? Swapped(view_, state, 0) : state; }

  const OnnxNodeView& view_;
  RecurrentCell cell_;
  ExprPtr w_, r_, scales_;
  RecurrentExtents extents_;
};

// The outputs Y, Y_h and, for an LSTM, Y_c of a node with its inputs in the order of ONNX's LSTM. W and R are
// (directions, gates * units, ...). An R of int8 has `scales`, (directions, gates * units); an R of floats has none. Of
// `cell`, only the kind and input_forget are read. Throws Error(kBadData).
std::vector<ExprPtr> RecurrentLayer(const OnnxNodeView& view, RecurrentCell cell, const ExprPtr& w, const ExprPtr& r,
                                    const ExprPtr& scales = nullptr) {
  return RecurrentFormula(view, std::move(cell), w, r, scales).Results();
}

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
  return {{"LSTM", 3, 8, Lstm, lstm, {.becomes = "nn.bias_add nn.dense nn.recurrent reshape", .takes_counts = true}},
          {"GRU",
           3,
           6,
           Gru,
           {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout",
            "linear_before_reset"},
           {.becomes = "nn.bias_add nn.dense nn.recurrent reshape", .takes_counts = true}},
          {"RNN",
           3,
           6,
           Rnn,
           {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout"},
           {.becomes = "nn.bias_add nn.dense nn.recurrent reshape transpose", .takes_counts = true}},
          {"DynamicQuantizeLSTM",
           3,
           12,
           DynamicQuantizeLstm,
           lstm,
           {.becomes = "nn.dense nn.recurrent reshape", .takes_counts = true},
           kMicrosoft}};
}

}  // namespace hone
