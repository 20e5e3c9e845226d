#include "compiler/generic/window.h"

#include <algorithm>
#include <string_view>

#include "compiler/relay/op.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kUnrolledTaps = 7;

WindowAxis AxisOf(const relay::Call& call, size_t i, int64_t size) {
  const auto strides = call.attrs.GetInts("strides", {1, 1});
  const auto dilation = call.attrs.GetInts("dilation", {1, 1});
  const auto padding = call.attrs.GetInts("padding", {0, 0, 0, 0});
  const Shape& in = call.args[0]->type->shape;
  return {size, strides[i], dilation[i], padding[i], padding[i + 2], in[i + 2], call.type->shape[i + 2]};
}

// Positions of a loop that runs from 0 in steps of `by` to reach at least `distance`, which may be negative.
Value* StepsToReach(KernelBuilder& b, Value* distance, int64_t by) {
  return b.Div(b.Add(b.Max(distance, b.Index(0)), by - 1), by);
}

}  // namespace

int64_t WindowAxis::first_inside() const { return std::min(out, CeilDiv(before, stride)); }

int64_t WindowAxis::last_inside() const {
  const int64_t room = in - 1 + before - (size - 1) * dilation;
  return room < 0 ? 0 : std::min(out, room / stride + 1);
}

std::optional<std::array<WindowAxis, 2>> WindowOf(const relay::Call& call) {
  const auto* op = relay::AsOp(call.op);
  const std::string_view name = op ? std::string_view(op->def->name) : std::string_view();
  if (name == "nn.max_pool2d" || name == "nn.avg_pool2d") {
    const auto size = call.attrs.GetInts("pool_size");
    return std::array<WindowAxis, 2>{AxisOf(call, 0, size[0]), AxisOf(call, 1, size[1])};
  }
  if (name != "nn.conv2d") return std::nullopt;
  const Shape& weight = call.args[1]->type->shape;
  return std::array<WindowAxis, 2>{AxisOf(call, 0, weight[2]), AxisOf(call, 1, weight[3])};
}

Taps TapsAt(KernelBuilder& b, const WindowAxis& axis, Value* at, bool inside) {
  if (inside || axis.always_inside()) return {b.Index(0), b.Index(axis.size)};
  Value* begin = b.Add(b.Mul(at, axis.stride), -axis.before);
  Value* first = StepsToReach(b, b.Sub(b.Index(0), begin), axis.dilation);
  Value* last = b.Min(b.Index(axis.size), StepsToReach(b, b.Sub(b.Index(axis.in), begin), axis.dilation));
  return {first, b.Max(first, last)};
}

Coordinate TapCoordinate(KernelBuilder& b, const WindowAxis& axis, const Coordinate& at, Value* tap) {
  Coordinate data = Shifted(b, Scaled(b, at, axis.stride), -axis.before);
  return {b.Add(data.base, b.Mul(tap, axis.dilation)), data.step};
}

Value* ForTaps(KernelBuilder& b, const Taps& taps, Value* carried,
               const std::function<Value*(Value* tap, Value* carried)>& step) {
  auto* first = llvm::dyn_cast<llvm::ConstantInt>(taps.first);
  auto* last = llvm::dyn_cast<llvm::ConstantInt>(taps.last);
  if (first && last && last->getSExtValue() - first->getSExtValue() <= kUnrolledTaps) {
    for (int64_t t = first->getSExtValue(); t < last->getSExtValue(); ++t) carried = step(b.Index(t), carried);
    return carried;
  }
  return b.Loop(taps.first, taps.last, 1, {carried},
                [&](Value* tap, const Vals& v) { return Vals{step(tap, v[0])}; })[0];
}

}  // namespace hone
