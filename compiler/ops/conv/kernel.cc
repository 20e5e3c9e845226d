// A plain fallback for what no schedule takes: correct for any shape, not tuned.
#include "compiler/generic/fold.h"
#include "compiler/generic/window.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

// The group of an output channel and its position in the group.
struct Channel {
  Value* group;
  Coordinate within;
};
Channel ChannelOf(KernelBuilder& b, const Coordinate& at, int64_t channels, int64_t groups) {
  if (groups == 1) return {b.Index(0), at};
  const int64_t per_group = channels / groups;
  return {b.Div(at.base, per_group), At(b.Mod(at.base, per_group))};
}

// All lanes must read the same taps. Lanes that would clip other taps, or fall into another group, are evaluated one by
// one.
Value* Conv2d(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const auto axes = *WindowOf(call);
  const int64_t groups = call.attrs.GetInt("groups", 1);
  const bool columns_differ = at[3].step != 0 && !e.interior && !axes[1].always_inside();
  if (columns_differ || (groups > 1 && at[1].step != 0)) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return Conv2d(e, call, one, kScalar); });
  }
  const int64_t depth = call.args[1]->type->shape[1];
  const Channel channel = ChannelOf(b, at[1], call.type->shape[1], groups);
  const Taps rows = TapsAt(b, axes[0], at[2].base, e.interior);
  const Taps columns = TapsAt(b, axes[1], at[3].base, e.interior);
  llvm::Type* element = ElementType(b, call.type->dtype);
  const auto step = [&](Value* sum, const Coordinate& c, Lanes) {
    const Coordinate from_c = At(b.Add(b.Mul(channel.group, depth), c.base));
    return ForTaps(b, rows, sum, [&](Value* kh, Value* row) {
      return ForTaps(b, columns, row, [&](Value* kw, Value* tap_sum) {
        const Coordinates x{at[0], from_c, TapCoordinate(b, axes[0], at[2], kh), TapCoordinate(b, axes[1], at[3], kw)};
        const Coordinates w{at[1], c, At(kh), At(kw)};
        return MultipliedAdd(b, e.Eval(call.args[0], x, lanes), e.Eval(call.args[1], w, lanes), tap_sum);
      });
    });
  };
  Value* zero = llvm::Constant::getNullValue(VectorOf(element, lanes.count));
  return b.Loop(0, depth, 1, {zero}, [&](Value* c, const Vals& v) { return Vals{step(v[0], At(c), lanes)}; })[0];
}

}  // namespace

EmitterTable ConvEmitters() { return {{"nn.conv2d", Conv2d}}; }

}  // namespace hone
