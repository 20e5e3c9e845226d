#include "compiler/generic/window.h"

#include <algorithm>
#include <string_view>

#include "compiler/relay/op.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kUnrolledTaps = 7;

WindowAxis WindowAxisOf(const relay::Call& call, size_t i, int64_t size) {
  const auto strides = call.attrs.GetInts("strides", {1, 1});
  const auto dilation = call.attrs.GetInts("dilation", {1, 1});
  const auto padding = call.attrs.GetInts("padding", {0, 0, 0, 0});
  const Shape& in = call.args[0]->type->shape;
  return {size, strides[i], dilation[i], padding[i], padding[i + 2], in[i + 2], call.type->shape[i + 2]};
}

// Number of steps of `by` from 0 that a loop needs to reach at least `distance`, which may be negative.
Value* StepsToReach(KernelBuilder& b, Value* distance, int64_t by) {
  return b.Div(b.Add(b.Max(distance, b.Index(0)), by - 1), by);
}

}  // namespace

int64_t WindowAxis::first_inside() const { return std::min(out, CeilDiv(before, stride)); }

int64_t WindowAxis::last_inside() const {
  const int64_t room = in - 1 + before - (size - 1) * dilation;
  return room < 0 ? 0 : std::min(out, room / stride + 1);
}

int64_t WindowAxis::CountTaps(int64_t output, bool padded) const {
  int64_t count = 0;
  for (int64_t tap = 0; tap < size; ++tap) {
    count += padded ? Seen(output, tap) < in + after : IsInside(output, tap);
  }
  return count;
}

std::optional<std::array<WindowAxis, 2>> WindowOf(const relay::Call& call) {
  const auto* op = relay::AsOp(call.op);
  const std::string_view name = op ? std::string_view(op->def->name) : std::string_view();
  if (name == "nn.max_pool2d" || name == "nn.avg_pool2d") {
    const auto size = call.attrs.GetInts("pool_size");
    return std::array<WindowAxis, 2>{WindowAxisOf(call, 0, size[0]), WindowAxisOf(call, 1, size[1])};
  }
  if (name != "nn.conv2d") return std::nullopt;
  const Shape& weight = call.args[1]->type->shape;
  return std::array<WindowAxis, 2>{WindowAxisOf(call, 0, weight[2]), WindowAxisOf(call, 1, weight[3])};
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

// For data of 10, padding of 2 and the first tap of 8 outputs. It reads a whole vector of data if there is one, and
// moves its lanes to their places.
//
//    outputs        0   1   2  3  4  5  6  7
//    their data     -   -   0  1  2  3  4  5
//    read                   0  1  2  3  4  5  6  7
Value* TapAtBorder(KernelBuilder& b, const WindowAxis& axis, int64_t first, int64_t tap, Lanes lanes, Value* stop,
                   const std::function<Value*(const Coordinate& from, Lanes lanes)>& read) {
  int low = 0, high = lanes.valid;
  while (low < high && !axis.IsInside(first + low, tap)) ++low;
  while (low < high && !axis.IsInside(first + high - 1, tap)) --high;
  if (low == high) return nullptr;
  // Lane `low` is lane `low + shift` of the values read.
  const int64_t span = (lanes.count - 1) * axis.stride, at = axis.Seen(first + low, tap);
  const int64_t past = std::max<int64_t>(at + span - (axis.in - 1), 0);
  int64_t begin = at - std::min<int64_t>(CeilDiv(past, axis.stride), at / axis.stride) * axis.stride;
  const bool whole = begin + span < axis.in;
  if (!whole) begin = at;
  const Lanes wanted{lanes.count, whole ? lanes.count : high - low};
  Value* values = read({b.Index(begin), axis.stride}, wanted);
  const int shift = static_cast<int>((at - begin) / axis.stride) - low;
  if (shift == 0 && low == 0 && high == lanes.valid) return values;
  std::vector<int> mask(static_cast<size_t>(lanes.count));
  for (int l = 0; l < lanes.count; ++l) Nth(mask, l) = l >= low && l < high ? l + shift : lanes.count + l;
  return b.ir().CreateShuffleVector(values, stop, llvm::ArrayRef<int>(mask));
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
