#include "compiler/ops/movement/kernel_permutation.h"

#include <algorithm>

#include "compiler/generic/evaluator.h"
#include "compiler/generic/memory_shape.h"

namespace hone {
namespace {

// The parameter's logical axis for each one of the result; empty if the function does anything else.
std::vector<size_t> SourceAxes(const relay::Function& function) {
  if (function.params.size() != 1 || function.body->type->kind != relay::TypeKind::kTensor) return {};
  std::vector<size_t> axes(function.body->type->shape.size());
  for (size_t d = 0; d < axes.size(); ++d) axes[d] = d;
  relay::ExprPtr expr = function.body;
  while (expr.get() != function.params[0].get()) {
    const relay::Call* transpose = relay::AsCallTo(expr, "transpose");
    const relay::Call* step = transpose ? transpose : relay::AsCallTo(expr, "layout_transform");
    if (step == nullptr) return {};
    std::vector<int64_t> order = transpose ? transpose->attrs.GetInts("axes") : std::vector<int64_t>();
    const auto rank = static_cast<int64_t>(axes.size());
    for (int64_t d = rank; transpose && static_cast<int64_t>(order.size()) < rank;) order.push_back(--d);
    for (size_t& axis : axes) {
      if (transpose) axis = static_cast<size_t>((order[axis] + rank) % rank);
    }
    expr = step->args[0];
  }
  return axes;
}

// A logical axis in one operand: whole, or as blocks and the positions in them.
struct AxisSide {
  int64_t whole = 0, block = 0, in_block = 0;  // elements per step; block: its size, 0 for a whole axis
};
AxisSide AxisSideOf(const MemoryShape& shape, size_t logical) {
  AxisSide side;
  for (const MemoryShape::Axis& axis : shape.axes) {
    if (axis.logical != logical) continue;
    if (axis.block > 0) {
      side.in_block = axis.stride;
      side.block = axis.block;
    } else {
      side.whole = axis.stride;
    }
  }
  return side;
}

// One logical axis, as axes along which both sides advance evenly. `rest` is the number of positions in a last block
// that is not full.
struct AxisPair {
  std::vector<PermutedAxis> axes;
  int64_t rest = 0;
  bool zeros = false;  // the result has zeros past the rest
};
std::optional<AxisPair> AxisPairOf(const AxisSide& from, const AxisSide& to, int64_t extent) {
  if (from.block == to.block && from.block > 0) {
    const int64_t blocks = (extent + from.block - 1) / from.block;
    return AxisPair{{{blocks, from.whole, to.whole}, {from.block, from.in_block, to.in_block}}};
  }
  if (from.block > 0 && to.block > 0) return std::nullopt;
  const int64_t block = std::max(from.block, to.block);
  if (block == 0) return AxisPair{{{extent, from.whole, to.whole}}};
  const auto step = [&](const AxisSide& side) { return side.block > 0 ? side.whole : side.whole * block; };
  const auto within = [](const AxisSide& side) { return side.block > 0 ? side.in_block : side.whole; };
  return AxisPair{
      {{extent / block, step(from), step(to)}, {block, within(from), within(to)}}, extent % block, to.block > 0};
}

bool Joins(const PermutedAxis& outer, const PermutedAxis& inner) {
  if (outer.from_batch || outer.to_batch || inner.from_batch || inner.to_batch) return false;
  return outer.from == inner.from * inner.extent && outer.to == inner.to * inner.extent;
}

// The axes in the order of the result's memory, without axes of one position; neighbours are joined if both sides allow
// it.
std::vector<PermutedAxis> JoinedAxes(std::vector<PermutedAxis> axes) {
  std::erase_if(axes, [](const PermutedAxis& axis) { return axis.extent == 1; });
  std::stable_sort(axes.begin(), axes.end(), [](const auto& a, const auto& b) { return a.to > b.to; });
  std::vector<PermutedAxis> joined;
  for (const PermutedAxis& axis : axes) {
    if (!joined.empty() && Joins(joined.back(), axis)) {
      joined.back() = {joined.back().extent * axis.extent, axis.from, axis.to};
    } else {
      joined.push_back(axis);
    }
  }
  return joined;
}

// Takes positions of the axis that continues `axis` until they complete a square's side. `step` is the number of
// elements per position on the contiguous side.
PermutedAxis TakeAround(std::vector<PermutedAxis>& outer, const PermutedAxis& axis, int64_t PermutedAxis::* step) {
  const int64_t count = kPermutedSide / axis.extent;
  if (kPermutedSide % axis.extent != 0 || count < 2) return {};
  for (PermutedAxis& other : outer) {
    const bool even = !other.from_batch && !other.to_batch && other.extent % count == 0;
    if (!even || other.*step != axis.extent) continue;
    const PermutedAxis around{count, other.from, other.to};
    other = {other.extent / count, other.from * count, other.to * count};
    return around;
  }
  return {};
}

// nullopt if there are not two axes to transpose.
std::optional<PermutedBox> BoxOf(const std::vector<PermutedAxis>& axes) {
  PermutedBox box;
  const PermutedAxis *source = nullptr, *result = nullptr;
  for (const PermutedAxis& axis : axes) {
    if (axis.from == 1 && !axis.from_batch) source = &axis;
    if (axis.to == 1 && !axis.to_batch) result = &axis;
  }
  if (source == nullptr || result == nullptr || source == result) return std::nullopt;
  for (const PermutedAxis& axis : axes) {
    if (&axis != source && &axis != result) box.outer.push_back(axis);
  }
  box.source = *source;
  box.result = *result;
  box.known = result->extent;
  box.around_source = TakeAround(box.outer, box.source, &PermutedAxis::from);
  return box;
}

// A last block that the axis does not fill.
struct LastBlock {
  size_t axis = 0;  // index in `axes` of the blocks; the next one has the positions in a block
  int64_t rest = 0;
  bool zeros = false;
};

std::optional<PermutedBox> RestOf(std::vector<PermutedAxis> axes, const LastBlock& last) {
  const PermutedAxis blocks = axes[last.axis], within = axes[last.axis + 1];
  axes[last.axis].extent = 1;
  if (!last.zeros) axes[last.axis + 1].extent = last.rest;
  std::optional<PermutedBox> box = BoxOf(JoinedAxes(axes));
  if (!box) return std::nullopt;
  // Zeros go to lanes past an axis. In every layout that has them, these are the result's last axis.
  if (last.zeros && within.extent > kPermutedSide) return std::nullopt;
  if (last.zeros && (box->result.to != within.to || box->result.extent != within.extent)) return std::nullopt;
  if (last.zeros) box->known = last.rest;
  box->from = blocks.extent * blocks.from;
  box->to = blocks.extent * blocks.to;
  return box;
}

}  // namespace

// At most one axis may have a last block that is not full, because each more would double the boxes.
std::optional<std::vector<PermutedBox>> PermutationOf(const relay::Function& function) {
  const std::vector<size_t> sources = SourceAxes(function);
  if (sources.empty()) return std::nullopt;
  const relay::Type &from = *function.params[0]->type, &to = *function.body->type;
  const MemoryShape from_shape = MemoryShapeOf(from.shape, LayoutOf(from)),
                    to_shape = MemoryShapeOf(to.shape, LayoutOf(to));
  std::vector<PermutedAxis> axes;
  std::optional<LastBlock> last;
  for (size_t d = 0; d < sources.size(); ++d) {
    auto pair = AxisPairOf(AxisSideOf(from_shape, sources[d]), AxisSideOf(to_shape, d), to.shape[d]);
    if (!pair || (pair->rest > 0 && last)) return std::nullopt;
    if (pair->rest > 0) last = LastBlock{axes.size(), pair->rest, pair->zeros};
    pair->axes[0].from_batch = sources[d] == 0 && LiesApart(function, 0);
    pair->axes[0].to_batch = d == 0 && LiesApart(function, 1);
    if ((pair->axes[0].from_batch || pair->axes[0].to_batch) && pair->axes.size() > 1) return std::nullopt;
    axes.insert(axes.end(), pair->axes.begin(), pair->axes.end());
  }
  std::vector<PermutedBox> boxes;
  if (!last || axes[last->axis].extent > 0) {
    const auto box = BoxOf(JoinedAxes(axes));
    if (!box) return std::nullopt;
    boxes.push_back(*box);
    PermutedBox& whole = boxes.back();
    whole.around_result = TakeAround(whole.outer, whole.result, &PermutedAxis::to);
    whole.known *= whole.around_result.extent;
  }
  if (!last) return boxes;
  const auto rest = RestOf(axes, *last);
  if (!rest) return std::nullopt;
  boxes.push_back(*rest);
  return boxes;
}

}  // namespace hone
