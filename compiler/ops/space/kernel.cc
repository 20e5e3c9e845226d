// Channels that become pixels.
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

// `channel` advanced by `places` times `channels`; a whole block stays one.
Coordinate MovedOn(KernelBuilder& b, const Coordinate& channel, Value* places, int64_t channels) {
  Coordinate moved{b.Add(channel.base, b.Mul(places, channels)), channel.step};
  if (channel.block > 0 && channels % channel.block == 0) {
    moved.block = channel.block;
    moved.block_index = b.Add(channel.block_index, b.Mul(places, channels / channel.block));
  }
  return moved;
}

Value* DepthToSpace(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  if (at[2].step != 0 || at[3].step != 0) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return DepthToSpace(e, call, one, kScalar); });
  }
  KernelBuilder& b = e.b();
  const int64_t size = call.attrs.GetInt("block_size"), channels = call.type->shape[1];
  Value* place = b.Add(b.Mul(b.Mod(at[2].base, size), size), b.Mod(at[3].base, size));
  Coordinate channel;
  if (call.attrs.GetString("mode", "DCR") == "DCR") {
    channel = MovedOn(b, at[1], place, channels);
  } else {
    channel = Scaled(b, at[1], size * size);
    channel = {b.Add(channel.base, place), channel.step};
  }
  return e.Eval(call.args[0], {at[0], channel, At(b.Div(at[2].base, size)), At(b.Div(at[3].base, size))}, lanes);
}

}  // namespace

EmitterTable SpaceEmitters() { return {{"nn.depth_to_space", DepthToSpace}}; }

}  // namespace hone
