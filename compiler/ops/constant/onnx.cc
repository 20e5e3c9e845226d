// Constant, ConstantOfShape, Shape: values that are known when the model is imported.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Kind = OnnxAttribute::Kind;

Tensor AttributeValue(const OnnxAttribute& attribute) {
  switch (attribute.kind) {
    case Kind::kTensor:
      return attribute.tensor;
    case Kind::kFloat:
      return Tensor::Scalar(static_cast<float>(attribute.f));
    case Kind::kInt:
      return Tensor::FromVector<int64_t>(DType::kInt64, {}, {attribute.i});
    case Kind::kFloats:
      return Tensor::FromVector<float>(DType::kFloat32, {static_cast<int64_t>(attribute.floats.size())},
                                       {attribute.floats.begin(), attribute.floats.end()});
    case Kind::kInts:
      return Tensor::FromVector<int64_t>(DType::kInt64, {static_cast<int64_t>(attribute.ints.size())}, attribute.ints);
    default:
      RefuseNode("only tensors and numbers are supported as a constant's value");
  }
}

ExprPtr Weight(const OnnxNodeView& view, Tensor value) {
  return view.builder().Weight(std::move(value), view.node().outputs[0]);
}

std::vector<ExprPtr> Constant(const OnnxNodeView& view) {
  if (view.node().attributes.size() != 1) RefuseNode("it must have one attribute, its value");
  return {Weight(view, AttributeValue(view.node().attributes[0].second))};
}

void Replicate(const Tensor& one, Tensor& all) {
  const size_t bytes = static_cast<size_t>(DTypeBytes(one.dtype()));
  const char* from = static_cast<const char*>(one.raw());
  char* into = static_cast<char*>(all.raw());
  for (int64_t i = 0; i < all.elements(); ++i) std::copy_n(from, bytes, into + static_cast<size_t>(i) * bytes);
}

std::vector<ExprPtr> ConstantOfShape(const OnnxNodeView& view) {
  Shape shape;
  Counts counts;
  for (const ComputedDim& dim : ComputedDims(view, 0, "shape")) {
    shape.push_back(dim.is_known() ? dim.number : MostOf(view, dim.count, "shape"));
    counts.push_back(dim.count);
  }
  const OnnxAttribute* attribute = view.Find("value");
  const Tensor value = attribute != nullptr ? AttributeValue(*attribute) : Tensor::Scalar(0);
  if (value.elements() != 1) RefuseNode(fmt::format("its value has {} elements, not 1", value.elements()));
  for (const int64_t dim : shape) {
    if (dim < 0) RefuseNode(fmt::format("the dimension {} is negative", dim));
  }
  const int64_t elements = ElementCount(shape);
  if (elements > int64_t{1} << 32) RefuseNode(fmt::format("{} is too large", ShapeText(shape)));
  view.builder().Spend(elements * DTypeBytes(value.dtype()));
  Tensor all(value.dtype(), shape);
  Replicate(value, all);
  ExprPtr constant = Weight(view, std::move(all));
  view.builder().SetCounts(constant, std::move(counts));
  return {constant};
}

// A shape is a constant, whatever the data, except for extents that are counted at run time.
std::vector<ExprPtr> ShapeOf(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  const int64_t rank = view.InputRank(0);
  const auto bound = [rank](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t begin = bound(view.Int("start", 0));
  const int64_t end = std::max(begin, bound(view.Int("end", rank)));
  if (!view.builder().CountsOf(view.Input(0)).empty() && begin < end) {
    std::vector<ExprPtr> dims;
    for (int64_t d = begin; d < end; ++d) dims.push_back(view.Reshape(ExtentOf(view.builder(), view.Input(0), d), {1}));
    return {dims.size() == 1 ? dims[0] : view.builder().CallOnTuple("concatenate", dims, {{"axis", int64_t{0}}})};
  }
  const std::vector<int64_t> dims(shape.begin() + begin, shape.begin() + end);
  return {relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {end - begin}, dims))};
}

}  // namespace

OnnxOperatorTable ConstantOperators() {
  return {
      {"Constant", 0, 0, Constant, {"value", "value_float", "value_floats", "value_int", "value_ints"}},
      {"ConstantOfShape", 1, 1, ConstantOfShape, {"value"}, {.takes_counts = true}},
      {"Shape", 1, 1, ShapeOf, {"start", "end"}, {.becomes = "concatenate reshape", .takes_counts = true}},
  };
}

}  // namespace hone
