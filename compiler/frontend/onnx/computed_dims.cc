#include "compiler/frontend/onnx/computed_dims.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/tensor.h"

namespace hone {

using relay::ExprPtr;

namespace {

// No value has more axes.
constexpr int64_t kMostDims = 16;

}  // namespace

std::vector<ComputedDim> ComputedDims(const OnnxNodeView& view, int input, std::string_view what) {
  const ExprPtr& given = view.Input(input);
  const Shape& shape = view.InputShape(input);
  if (!HoldsExtents(view.builder().DTypeOf(given)) || shape.size() > 1 || !view.builder().CountsOf(given).empty()) {
    RefuseNode(fmt::format("its {} must be known when the model is imported, or integers of one axis", what));
  }
  if (ElementCount(shape) > kMostDims) {
    RefuseNode(fmt::format("its {} has {} numbers, at most {}", what, ElementCount(shape), kMostDims));
  }
  std::vector<ComputedDim> dims;
  ExtentForms& extents = view.builder().extents();
  for (int64_t i = 0; i < ElementCount(shape); ++i) {
    const Extent form = extents.FormOf(given, i);
    const auto known = form.known();
    dims.push_back(known ? ComputedDim{*known, nullptr} : ComputedDim{0, extents.NumberOf(form)});
  }
  return dims;
}

int64_t MostOf(const OnnxNodeView& view, const ExprPtr& count, std::string_view what) {
  TypedBuilder& builder = view.builder();
  const auto bound = builder.BoundOf(count);
  if (!bound && builder.max_dim() == 0) {
    RefuseNode(fmt::format("its {} must be known when the model is imported; --max-dim N gives the most that it can be",
                           what));
  }
  const int64_t most = bound ? std::max<int64_t>(0, *bound) : builder.max_dim();
  const Interval range = builder.extents().RangeOf(builder.extents().FormOf(count));
  if (range.least < 0 || range.most > most) builder.RequireCount(count, most);
  return most;
}

}  // namespace hone
