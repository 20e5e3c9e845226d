#include "compiler/ops/control/onnx_choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/frontend/onnx/model/sequences.h"

namespace hone {

using relay::ExprPtr;

namespace {

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

ExprPtr ChosenElements(const OnnxNodeView& view, const Alternatives& values) {
  const relay::Tuple *a = relay::AsTuple(values.then), *b = relay::AsTuple(values.otherwise);
  if (a == nullptr || b == nullptr || a->fields.size() != b->fields.size() || values.then == AbsentValue() ||
      values.otherwise == AbsentValue()) {
    RefuseNode("its branches give sequences of different lengths, or other kinds, so that its condition must be known");
  }
  std::vector<ExprPtr> elements;
  for (size_t i = 0; i < a->fields.size(); ++i) {
    elements.push_back(Chosen(view, {values.runs_then, a->fields[i], values.runs_otherwise, b->fields[i]}));
  }
  return view.builder().TupleOf(std::move(elements));
}

}  // namespace

std::optional<bool> KnownCondition(const OnnxNodeView& view, const ExprPtr& condition) {
  RequireTensors({condition});
  const Shape& shape = view.builder().ShapeOf(condition);
  if (ElementCount(shape) != 1) RefuseNode(fmt::format("its condition is {}; it must be one value", ShapeText(shape)));
  const Tensor* value = view.builder().ValueOf(condition);
  if (value == nullptr) return std::nullopt;
  return value->At(0) != 0;
}

ExprPtr TakenIf(const OnnxNodeView& view, const ExprPtr& condition, bool value) {
  TypedBuilder& builder = view.builder();
  ExprPtr one = builder.Uncounted("reshape", {condition}, {{"newshape", std::vector<int64_t>()}});
  if (!value) one = builder.Uncounted("logical_not", {one});
  ExprPtr taken = builder.Uncounted("cast", {one}, {{"dtype", std::string("int64")}});
  if (builder.taken() == nullptr) return taken;
  return builder.Uncounted("choose", {builder.taken(), std::move(taken), CountOf(1), CountOf(0)});
}

ExprPtr Chosen(const OnnxNodeView& view, const Alternatives& values) {
  const auto& [runs_then, then, runs_otherwise, otherwise] = values;
  if (then == otherwise) return then;
  if (relay::AsTuple(then) != nullptr || relay::AsTuple(otherwise) != nullptr) return ChosenElements(view, values);
  TypedBuilder& builder = view.builder();
  const relay::TypePtr a = builder.TypeOf(then), b = builder.TypeOf(otherwise);
  if (a->shape.size() != b->shape.size() || a->dtype != b->dtype) {
    RefuseNode(
        fmt::format("its condition is computed, and its branches give {} and {}; they must have one type "
                    "and rank",
                    relay::ToText(a), relay::ToText(b)));
  }
  const auto choose = [&](const ExprPtr& x, const ExprPtr& y) {
    return builder.Uncounted("choose", {runs_then, x, runs_otherwise, y});
  };
  Shape shape;
  Counts counts;
  for (size_t d = 0; d < a->shape.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    const ExprPtr mine = ExtentOf(builder, then, axis), other = ExtentOf(builder, otherwise, axis);
    const bool differ =
        a->shape[d] != b->shape[d] || IsCounted(builder, then, axis) || IsCounted(builder, otherwise, axis);
    shape.push_back(std::max(a->shape[d], b->shape[d]));
    counts.push_back(!differ         ? nullptr
                     : mine == other ? mine
                                     : builder.ChosenCount(runs_then, mine, runs_otherwise, other));
  }
  ExprPtr chosen = choose(Widened(view, then, shape), Widened(view, otherwise, shape));
  builder.SetCounts(chosen, std::move(counts));
  return chosen;
}

}  // namespace hone
