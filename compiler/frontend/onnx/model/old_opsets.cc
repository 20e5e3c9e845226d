#include "compiler/frontend/onnx/model/old_opsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;
using Kind = OnnxAttribute::Kind;

// The parts of a node that a rule may change.
struct OldNode {
  OnnxNode& node;
  std::vector<ExprPtr>& inputs;
  int64_t opset;
  TypedBuilder& builder;
};

using OldNodeRule = void (*)(OldNode& old);

std::optional<OnnxAttribute> Take(OldNode& old, std::string_view name) {
  auto& all = old.node.attributes;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
  if (found == all.end()) return std::nullopt;
  std::optional<OnnxAttribute> taken(std::move(found->second));
  all.erase(found);
  return taken;
}

OnnxAttribute Attribute(Kind kind) {
  OnnxAttribute attribute;
  attribute.kind = kind;
  return attribute;
}

void Put(OldNode& old, std::string_view name, OnnxAttribute attribute) {
  Take(old, name);
  old.node.attributes.emplace_back(name, std::move(attribute));
}

bool IsSet(OldNode& old, std::string_view name) {
  const auto attribute = Take(old, name);
  return attribute && attribute->i != 0;
}

void AddInts(OldNode& old, const Ints& values) {
  const Tensor tensor = Tensor::FromVector<int64_t>(DType::kInt64, {static_cast<int64_t>(values.size())}, values);
  old.inputs.push_back(relay::MakeConstant(tensor));
  old.node.inputs.push_back(old.node.name + "/" + std::to_string(old.inputs.size()));
}

void ReshapeInput(OldNode& old, size_t input, const Shape& shape) {
  if (old.builder.ShapeOf(old.inputs[input]) == shape) return;
  old.inputs[input] = old.builder.Call("reshape", {old.inputs[input]}, {{"newshape", shape}});
}

bool HasTwo(const OldNode& old) {
  return old.inputs.size() == 2 && old.inputs[0] != nullptr && old.inputs[1] != nullptr;
}

// Aligns the second operand with the first one's axes from `axis` on, else with its last axes.
void AlignBroadcast(OldNode& old) {
  const bool broadcast = IsSet(old, "broadcast");
  const auto axis = Take(old, "axis");
  if (!broadcast || !axis || !HasTwo(old)) return;
  const auto rank = static_cast<int64_t>(old.builder.ShapeOf(old.inputs[0]).size());
  Shape shape = old.builder.ShapeOf(old.inputs[1]);
  const int64_t behind = rank - OnnxNodeView::Axis(axis->i, rank) - static_cast<int64_t>(shape.size());
  if (behind < 0) RefuseNode(fmt::format("{} does not lie along the axes from {} on", ShapeText(shape), axis->i));
  shape.insert(shape.end(), static_cast<size_t>(behind), 1);
  ReshapeInput(old, 1, shape);
}

void DropBroadcast(OldNode& old) { Take(old, "broadcast"); }

// Refuses a node that computes in training mode: one with several results and without is_test.
void Inference(OldNode& old) {
  const bool is_test = IsSet(old, "is_test");
  const auto more = [](const std::string& output) { return !output.empty(); };
  if (!is_test && std::any_of(old.node.outputs.begin() + 1, old.node.outputs.end(), more)) {
    RefuseNode("is_test is not set and it has several results: only inference is supported");
  }
}

void RenamePads(OldNode& old) {
  if (auto pads = Take(old, "paddings")) Put(old, "pads", std::move(*pads));
}

void ShapeToInput(OldNode& old) {
  const auto shape = Take(old, "shape");
  if (shape && old.inputs.size() == 1) AddInts(old, shape->ints);
}

void NumberOfType(OldNode& old) {
  static const std::map<std::string_view, int64_t> kNumbers = {
      {"FLOAT", 1},  {"UINT8", 2}, {"INT8", 3},     {"UINT16", 4},  {"INT16", 5},   {"INT32", 6},  {"INT64", 7},
      {"STRING", 8}, {"BOOL", 9},  {"FLOAT16", 10}, {"DOUBLE", 11}, {"UINT32", 12}, {"UINT64", 13}};
  const auto to = Take(old, "to");
  if (!to) return;
  OnnxAttribute number = Attribute(Kind::kInt);
  const auto known = kNumbers.find(to->s);
  if (to->kind == Kind::kString && known == kNumbers.end()) RefuseNode(fmt::format("the type \"{}\"", to->s));
  number.i = to->kind == Kind::kString ? known->second : to->i;
  Put(old, "to", number);
}

void ConcatAlongSecond(OldNode& old) {
  auto axis = Take(old, "axis");
  if (!axis && old.opset < 4) {
    axis = Attribute(Kind::kInt);
    axis->i = 1;
  }
  if (axis) Put(old, "axis", std::move(*axis));
}

int64_t KnownNumber(const OldNode& old, size_t input, std::string_view what) {
  const Tensor* value = old.inputs[input] != nullptr ? old.builder.ValueOf(old.inputs[input]) : nullptr;
  if (value == nullptr || value->elements() != 1) RefuseNode(fmt::format("its {} must be one known number", what));
  return static_cast<int64_t>(value->At(0));
}

// Tile with a number of repetitions along one axis.
void TileAlongAxis(OldNode& old) {
  if (old.inputs.size() != 3 || old.inputs[0] == nullptr) return;
  const auto rank = static_cast<int64_t>(old.builder.ShapeOf(old.inputs[0]).size());
  Ints repeats(static_cast<size_t>(rank), 1);
  Nth(repeats, OnnxNodeView::Axis(KnownNumber(old, 2, "axis"), rank)) = KnownNumber(old, 1, "tiles");
  old.inputs.resize(1);
  old.node.inputs.resize(1);
  AddInts(old, repeats);
}

void ScalesOfImage(OldNode& old) {
  const auto height = Take(old, "height_scale"), width = Take(old, "width_scale");
  if (!height || !width) return;
  OnnxAttribute scales = Attribute(Kind::kFloats);
  scales.floats = {1, 1, height->f, width->f};
  Put(old, "scales", scales);
}

void WholeNorm(OldNode& old) {
  auto p = Take(old, "p");
  if (!p) return;
  if (p->kind == Kind::kFloat) p->i = static_cast<int64_t>(p->f);
  if (p->kind == Kind::kFloat && static_cast<double>(p->i) != p->f) RefuseNode(fmt::format("p is {}", p->f));
  p->kind = Kind::kInt;
  Put(old, "p", std::move(*p));
}

// The first version's constants had fewer digits.
void FirstSelu(OldNode& old) {
  for (const auto& [name, value] : {std::pair("alpha", 1.6732), std::pair("gamma", 1.0507)}) {
    auto given = Take(old, name);
    if (!given) {
      given = Attribute(Kind::kFloat);
      given->f = value;
    }
    Put(old, name, std::move(*given));
  }
}

void SlopePerChannel(OldNode& old) {
  if (!HasTwo(old)) return;
  const Shape &data = old.builder.ShapeOf(old.inputs[0]), &slope = old.builder.ShapeOf(old.inputs[1]);
  if (slope.size() != 1 || slope[0] == 1 || data.size() < 2 || slope[0] != data[1]) return;
  Shape shape(data.size() - 1, 1);
  shape[0] = slope[0];
  ReshapeInput(old, 1, shape);
}

void CountToInput(OldNode& old) {
  const auto k = Take(old, "k");
  if (k && old.inputs.size() == 1) AddInts(old, {k->i});
}

void DropOutputSequence(OldNode& old) { Take(old, "output_sequence"); }

struct RuleRow {
  int64_t before;  // the opset that introduced the current form
  OldNodeRule rule;
};

const std::map<std::string_view, RuleRow>& Rules() {
  static const std::map<std::string_view, RuleRow> rules = {
      {"Add", {7, AlignBroadcast}},      {"And", {7, AlignBroadcast}},       {"BatchNormalization", {7, Inference}},
      {"Cast", {6, NumberOfType}},       {"Concat", {4, ConcatAlongSecond}}, {"Div", {7, AlignBroadcast}},
      {"Dropout", {7, Inference}},       {"Equal", {7, AlignBroadcast}},     {"GRU", {7, DropOutputSequence}},
      {"Gemm", {7, DropBroadcast}},      {"GlobalLpPool", {2, WholeNorm}},   {"Greater", {7, AlignBroadcast}},
      {"LSTM", {7, DropOutputSequence}}, {"Less", {7, AlignBroadcast}},      {"LpPool", {2, WholeNorm}},
      {"Mul", {7, AlignBroadcast}},      {"Or", {7, AlignBroadcast}},        {"PRelu", {7, SlopePerChannel}},
      {"Pad", {2, RenamePads}},          {"Pow", {7, AlignBroadcast}},       {"RNN", {7, DropOutputSequence}},
      {"Reshape", {5, ShapeToInput}},    {"Selu", {6, FirstSelu}},           {"Sub", {7, AlignBroadcast}},
      {"Tile", {6, TileAlongAxis}},      {"TopK", {10, CountToInput}},       {"Upsample", {7, ScalesOfImage}},
      {"Xor", {7, AlignBroadcast}},
  };
  return rules;
}

}  // namespace

void ToPresentRules(OnnxNode& node, std::vector<ExprPtr>& inputs, int64_t opset, TypedBuilder& builder) {
  OldNode old{node, inputs, opset, builder};
  // A hint about memory, which does not affect the results.
  if (opset < 6) Take(old, "consumed_inputs");
  const auto row = Rules().find(node.op_type);
  if (row != Rules().end() && opset < row->second.before && !node.outputs.empty()) row->second.rule(old);
}

}  // namespace hone
