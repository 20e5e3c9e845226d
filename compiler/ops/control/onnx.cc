// Operators with graphs of their own: If, Loop, Scan. Their control flow must be known at import time; otherwise both
// branches of an If are computed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/frontend/onnx/model/sequences.h"
#include "compiler/frontend/onnx/node_error.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Limit of the iterations of one loop, because each one is unrolled.
constexpr int64_t kMostTurns = 1024;

// The condition's only value; nullopt if it is computed.
std::optional<bool> Known(const OnnxNodeView& view, const ExprPtr& condition) {
  RequireTensors({condition});
  const Shape& shape = view.builder().ShapeOf(condition);
  if (ElementCount(shape) != 1) RefuseNode(fmt::format("its condition is {}; it must be one value", ShapeText(shape)));
  const Tensor* value = view.builder().ValueOf(condition);
  if (value == nullptr) return std::nullopt;
  return value->At(0) != 0;
}

// The data widened to the shape by zeros at the ends; all of the result counts as valid.
ExprPtr Widened(const OnnxNodeView& view, ExprPtr data, const Shape& shape) {
  TypedBuilder& builder = view.builder();
  for (size_t d = 0; d < shape.size(); ++d) {
    Shape rest = builder.ShapeOf(data);
    rest[d] = shape[d] - rest[d];
    if (rest[d] == 0) continue;
    const ExprPtr zeros = relay::MakeConstant(Tensor(builder.DTypeOf(data), rest));
    data = builder.UncountedOnTuple("concatenate", {data, zeros}, {{"axis", static_cast<int64_t>(d)}});
  }
  return data;
}

ExprPtr Selected(const OnnxNodeView& view, const ExprPtr& then, const ExprPtr& otherwise);

// Selects each element of two sequences.
ExprPtr SelectedElements(const OnnxNodeView& view, const ExprPtr& then, const ExprPtr& otherwise) {
  const relay::Tuple *a = relay::AsTuple(then), *b = relay::AsTuple(otherwise);
  if (a == nullptr || b == nullptr || a->fields.size() != b->fields.size() || then == AbsentValue() ||
      otherwise == AbsentValue()) {
    RefuseNode("its branches give sequences of different lengths, or other kinds, so that its condition must be known");
  }
  std::vector<ExprPtr> elements;
  for (size_t i = 0; i < a->fields.size(); ++i) elements.push_back(Selected(view, a->fields[i], b->fields[i]));
  return view.builder().TupleOf(std::move(elements));
}

// Selects between the results of both branches, which are both computed because they have no effects. If their extents
// differ, the result's are counted.
ExprPtr Selected(const OnnxNodeView& view, const ExprPtr& then, const ExprPtr& otherwise) {
  if (then == otherwise) return then;
  if (relay::AsTuple(then) != nullptr || relay::AsTuple(otherwise) != nullptr) {
    return SelectedElements(view, then, otherwise);
  }
  const TypedBuilder& builder = view.builder();
  const relay::TypePtr a = builder.TypeOf(then), b = builder.TypeOf(otherwise);
  if (a->shape.size() != b->shape.size() || a->dtype != b->dtype) {
    RefuseNode(
        fmt::format("its condition is computed, and its branches give {} and {}; they must have one type and rank",
                    relay::ToText(a), relay::ToText(b)));
  }
  const ExprPtr condition = view.Reshape(view.Input(0), {});
  Shape shape;
  Counts counts;
  for (size_t d = 0; d < a->shape.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    const ExprPtr mine = ExtentOf(builder, then, axis), other = ExtentOf(builder, otherwise, axis);
    const bool differ =
        a->shape[d] != b->shape[d] || IsCounted(builder, then, axis) || IsCounted(builder, otherwise, axis);
    shape.push_back(std::max(a->shape[d], b->shape[d]));
    counts.push_back(mine == other || !differ ? nullptr : view.Call("where", {condition, mine, other}));
    if (mine == other) counts.back() = mine;
  }
  const ExprPtr chosen =
      view.builder().Uncounted("where", {condition, Widened(view, then, shape), Widened(view, otherwise, shape)});
  view.builder().SetCounts(chosen, std::move(counts));
  return chosen;
}

using Branches = std::pair<std::vector<ExprPtr>, std::vector<ExprPtr>>;

// Converts both branches. An error tells of the branch, because it may be meant for other inputs than the given ones.
Branches BothBranches(const OnnxNodeView& view, const OnnxGraph& then, const OnnxGraph& otherwise) {
  TypedBuilder& builder = view.builder();
  try {
    // A branch asks nothing of extents in runs that do not take it.
    const ExprPtr condition = view.Reshape(view.Input(0), {});
    Branches results;
    size_t required = builder.required_counts().size();
    results.first = view.Results(then, {});
    builder.RequireOnlyIf(required, condition, true);
    required = builder.required_counts().size();
    results.second = view.Results(otherwise, {});
    builder.RequireOnlyIf(required, condition, false);
    return results;
  } catch (const NodeError& error) {
    if (error.tells_of_branch()) throw;
    throw NodeError(error.code(),
                    fmt::format("{}; it is in a branch of \"{}\", whose condition is computed: --value NAME=NUMBER "
                                "makes a constant of the input that decides",
                                error.what(), view.node().name),
                    true);
  }
}

std::vector<ExprPtr> If(const OnnxNodeView& view) {
  const OnnxGraph &then = view.Body("then_branch"), &otherwise = view.Body("else_branch");
  if (const auto known = Known(view, view.Input(0))) return view.Results(*known ? then : otherwise, {});
  const auto [taken, left] = BothBranches(view, then, otherwise);
  if (taken.size() != left.size()) {
    RefuseNode(fmt::format("its branches have {} and {} outputs", taken.size(), left.size()));
  }
  std::vector<ExprPtr> results;
  results.reserve(taken.size());
  for (size_t i = 0; i < taken.size(); ++i) results.push_back(Selected(view, taken[i], left[i]));
  return results;
}

// Joins one element of every iteration along a new axis.
ExprPtr Stacked(const OnnxNodeView& view, const std::vector<ExprPtr>& turns, int64_t axis) {
  std::vector<ExprPtr> fields;
  RequireTensors(turns);
  for (const ExprPtr& turn : turns) {
    Shape shape = view.builder().ShapeOf(turn);
    shape.insert(shape.begin() + OnnxNodeView::Axis(axis, static_cast<int64_t>(shape.size()) + 1), 1);
    fields.push_back(view.Reshape(turn, shape));
  }
  const int64_t along = OnnxNodeView::Axis(axis, static_cast<int64_t>(view.builder().ShapeOf(fields[0]).size()));
  return fields.size() == 1 ? fields[0] : view.builder().CallOnTuple("concatenate", fields, {{"axis", along}});
}

// Result `i` of each iteration.
std::vector<ExprPtr> Column(const std::vector<std::vector<ExprPtr>>& turns, size_t i) {
  std::vector<ExprPtr> column;
  column.reserve(turns.size());
  for (const auto& turn : turns) column.push_back(turn.at(i));
  return column;
}

[[noreturn]] void RefuseTurns() {
  RefuseNode(fmt::format("its turns must be known when the model is imported, and at most {}", kMostTurns));
}

int64_t MostTurns(const OnnxNodeView& view) {
  if (!view.HasInput(0)) return std::numeric_limits<int64_t>::max();
  if (view.InputValue(0) == nullptr) RefuseTurns();
  const auto count = view.InputInts(0, "number of turns");
  if (!count || count->size() != 1) RefuseTurns();
  return std::max<int64_t>(0, (*count)[0]);
}

ExprPtr Number(DType dtype, int64_t value) {
  Tensor tensor(dtype, {});
  tensor.Set(0, static_cast<double>(value));
  return relay::MakeConstant(tensor);
}

std::vector<ExprPtr> TurnInputs(int64_t turn, const std::vector<ExprPtr>& carried) {
  std::vector<ExprPtr> inputs{Number(DType::kInt64, turn), Number(DType::kBool, 1)};
  inputs.insert(inputs.end(), carried.begin(), carried.end());
  return inputs;
}

// A loop without iterations stacks nothing. Converting one iteration gives the types of what it would have stacked.
std::vector<ExprPtr> WithNoTurns(const OnnxNodeView& view, const OnnxGraph& body, std::vector<ExprPtr> carried,
                                 size_t outputs) {
  if (outputs == 0) return carried;
  const std::vector<ExprPtr> turn = view.Results(body, TurnInputs(0, carried));
  RequireTensors({turn.end() - static_cast<int64_t>(outputs), turn.end()});
  for (size_t i = turn.size() - outputs; i < turn.size(); ++i) {
    Shape shape = view.builder().ShapeOf(turn[i]);
    shape.insert(shape.begin(), 0);
    carried.push_back(relay::MakeConstant(Tensor(view.builder().DTypeOf(turn[i]), shape)));
  }
  return carried;
}

std::vector<ExprPtr> Loop(const OnnxNodeView& view) {
  const OnnxGraph& body = view.Body("body");
  if (view.num_inputs() < 2) RefuseNode(fmt::format("{} inputs; it takes 2 or more", view.num_inputs()));
  RequireTensors({view.inputs().begin(), view.inputs().begin() + 2});
  const int64_t most = MostTurns(view);
  std::vector<ExprPtr> carried(view.inputs().begin() + 2, view.inputs().end());
  if (body.outputs.size() < carried.size() + 1) RefuseNode("its graph gives fewer values than it takes");
  const size_t outputs = body.outputs.size() - carried.size() - 1;
  std::optional<bool> goes_on = view.HasInput(1) ? Known(view, view.Input(1)) : true;
  std::vector<std::vector<ExprPtr>> turns;
  for (int64_t turn = 0; turn < most; ++turn) {
    if (!goes_on || turn >= kMostTurns) RefuseTurns();
    if (!*goes_on) break;
    const std::vector<ExprPtr> results = view.Results(body, TurnInputs(turn, carried));
    goes_on = Known(view, results[0]);
    const auto scanned = results.begin() + 1 + static_cast<int64_t>(carried.size());
    carried.assign(results.begin() + 1, scanned);
    turns.emplace_back(scanned, results.end());
  }
  if (turns.empty()) return WithNoTurns(view, body, std::move(carried), outputs);
  for (size_t i = 0; i < outputs; ++i) carried.push_back(Stacked(view, Column(turns, i), 0));
  return carried;
}

std::vector<int64_t> PerValue(const OnnxNodeView& view, std::string_view name, int64_t count) {
  const std::vector<int64_t> given = view.Ints(name, std::vector<int64_t>(static_cast<size_t>(count)));
  if (static_cast<int64_t>(given.size()) == count) return given;
  RefuseNode(fmt::format("{} holds {} numbers, it must hold {}", name, given.size(), count));
}

// A Scan: inputs are first the values that each iteration hands to the next, then the inputs to iterate over.
class Scanning {
 public:
  explicit Scanning(const OnnxNodeView& view)
      : view_(view), body_(view.Body("body")), scans_(view.Int("num_scan_inputs", 0)) {
    if (scans_ < 1 || scans_ > view.num_inputs()) {
      RefuseNode(fmt::format("num_scan_inputs is {}; it may be 1 to {}", scans_, view.num_inputs()));
    }
    carries_ = view.num_inputs() - scans_;
    outputs_ = static_cast<int64_t>(body_.outputs.size()) - carries_;
    if (outputs_ < 0) {
      RefuseNode(fmt::format("its graph gives {} values; it must give {}", body_.outputs.size(), carries_));
    }
    axes_ = PerValue(view, "scan_input_axes", scans_);
    for (int64_t i = 0; i < scans_; ++i) Nth(axes_, i) = OnnxNodeView::Axis(Nth(axes_, i), view.InputRank(Input(i)));
    backwards_ = PerValue(view, "scan_input_directions", scans_);
    count_ = Extent(0);
    for (int64_t i = 0; i < scans_; ++i) {
      if (Extent(i) != count_) RefuseNode(fmt::format("its inputs have {} and {} positions", count_, Extent(i)));
    }
    if (count_ < 1 || count_ > kMostTurns) RefuseTurns();
  }

  std::vector<ExprPtr> Results() const {
    std::vector<ExprPtr> carried(view_.inputs().begin(), view_.inputs().begin() + carries_);
    std::vector<std::vector<ExprPtr>> turns;
    for (int64_t turn = 0; turn < count_; ++turn) {
      std::vector<ExprPtr> inputs = carried;
      for (int64_t i = 0; i < scans_; ++i) inputs.push_back(SliceOf(i, turn));
      const std::vector<ExprPtr> results = view_.Results(body_, inputs);
      carried.assign(results.begin(), results.begin() + carries_);
      turns.emplace_back(results.begin() + carries_, results.end());
    }
    AddOutputs(turns, carried);
    return carried;
  }

 private:
  int Input(int64_t scan) const { return static_cast<int>(carries_ + scan); }
  int64_t Extent(int64_t scan) const { return Nth(view_.InputShape(Input(scan)), Nth(axes_, scan)); }

  // An input's slice for an iteration, without the axis.
  ExprPtr SliceOf(int64_t scan, int64_t turn) const {
    const int64_t position = Nth(backwards_, scan) != 0 ? count_ - 1 - turn : turn;
    return view_.Call("take", {view_.Input(Input(scan)), Number(DType::kInt64, position)},
                      {{"axis", Nth(axes_, scan)}});
  }

  void AddOutputs(const std::vector<std::vector<ExprPtr>>& turns, std::vector<ExprPtr>& results) const {
    const std::vector<int64_t> axes = PerValue(view_, "scan_output_axes", outputs_);
    const std::vector<int64_t> backwards = PerValue(view_, "scan_output_directions", outputs_);
    for (int64_t i = 0; i < outputs_; ++i) {
      std::vector<ExprPtr> column = Column(turns, static_cast<size_t>(i));
      if (Nth(backwards, i) != 0) std::reverse(column.begin(), column.end());
      results.push_back(Stacked(view_, column, Nth(axes, i)));
    }
  }

  const OnnxNodeView& view_;
  const OnnxGraph& body_;
  int64_t scans_ = 0, carries_ = 0, outputs_ = 0, count_ = 0;
  std::vector<int64_t> axes_, backwards_;
};

// Image `i` of a tensor, without their axis.
ExprPtr ImageOf(const OnnxNodeView& view, const ExprPtr& images, int64_t i) {
  return view.Call("take", {images, Number(DType::kInt64, i)}, {{"axis", int64_t{0}}});
}

// A Scan of opset 8 iterates over each image apart. Before the other inputs it has the images' lengths.
std::vector<ExprPtr> ScanOfImages(const OnnxNodeView& view) {
  if (view.HasInput(0)) RefuseNode("its sequences have lengths; a Scan of whole sequences is supported");
  if (view.num_inputs() < 2) RefuseNode("it has no input to scan");
  for (int i = 1; i < view.num_inputs(); ++i) view.Input(i);  // refuses one that is left out
  const std::vector<ExprPtr> given(view.inputs().begin() + 1, view.inputs().end());
  for (size_t i = 0; i < given.size(); ++i) {
    const Shape& shape = view.builder().ShapeOf(given[i]);
    if (!shape.empty() && shape[0] > 0 && shape[0] == view.builder().ShapeOf(given[0])[0]) continue;
    RefuseNode(fmt::format("input {} is {}; its first axis must count images", i + 1, ShapeText(shape)));
  }
  const int64_t count = view.builder().ShapeOf(given[0])[0];
  if (count > kMostTurns) RefuseNode(fmt::format("{} images; {} are the most", count, kMostTurns));
  OnnxNode node = view.node();
  for (auto& [name, attribute] : node.attributes) {
    if (name == "directions") name = "scan_input_directions";
  }
  std::vector<std::vector<ExprPtr>> images;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<ExprPtr> inputs;
    for (const ExprPtr& each : given) inputs.push_back(ImageOf(view, each, i));
    images.push_back(Scanning(view.Of(node, std::move(inputs))).Results());
  }
  std::vector<ExprPtr> results;
  for (size_t i = 0; i < images[0].size(); ++i) results.push_back(Stacked(view, Column(images, i), 0));
  return results;
}

std::vector<ExprPtr> Scan(const OnnxNodeView& view) {
  return view.opset() < 9 ? ScanOfImages(view) : Scanning(view).Results();
}

}  // namespace

OnnxOperatorTable ControlOperators() {
  return {
      {"If",
       1,
       1,
       If,
       {"then_branch", "else_branch"},
       {.becomes = "concatenate reshape where", .takes_sequences = true}},
      {"Loop", 0, -1, Loop, {"body"}, {.becomes = "concatenate reshape", .takes_sequences = true}},
      {"Scan",
       0,
       -1,
       Scan,
       {"body", "directions", "num_scan_inputs", "scan_input_axes", "scan_input_directions", "scan_output_axes",
        "scan_output_directions"},
       {.becomes = "concatenate reshape take"}},
  };
}

}  // namespace hone
