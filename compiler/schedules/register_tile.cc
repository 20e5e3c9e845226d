#include "compiler/schedules/register_tile.h"

#include <fmt/format.h>

namespace hone {

int RegisterTile::RegistersOn(const MachineModel& machine) const {
  constexpr int kLoadedAhead = 5, kProducts = 3;
  if (machine.broadcast == Broadcast::kLane) return pixels * vectors + pixels + 1 + kLoadedAhead;
  return registers() + (machine.has_fma ? 0 : kProducts);
}

std::optional<std::string> RegisterTile::Reject(const MachineModel& machine) const {
  const int needed = RegistersOn(machine);
  if (needed <= machine.vector_registers) return std::nullopt;
  return fmt::format("the register tile needs {} of {} registers", needed, machine.vector_registers);
}

Vals RegisterTile::Zeros(KernelBuilder& b) const {
  return Vals(static_cast<size_t>(pixels) * static_cast<size_t>(vectors), b.FloatVec(0, lanes));
}

void RegisterTile::Step(KernelBuilder& b, Vals& acc, const std::function<Value*(int)>& x,
                        const std::function<Value*(int)>& w) const {
  auto splat = [&](int p) -> Value* {
    Value* scalar = x(p);
    return scalar ? b.Splat(scalar, lanes) : nullptr;
  };
  auto accumulate = [&](int p, int v, Value* xp, Value* wv) {
    Value*& a = acc[static_cast<size_t>(p * vectors + v)];
    a = b.Fma(xp, wv, a);
  };
  if (vectors <= pixels) {
    Vals held;
    for (int v = 0; v < vectors; ++v) held.push_back(w(v));
    for (int p = 0; p < pixels; ++p) {
      Value* xp = splat(p);
      for (int v = 0; xp && v < vectors; ++v) accumulate(p, v, xp, held[static_cast<size_t>(v)]);
    }
    return;
  }
  Vals held;
  for (int p = 0; p < pixels; ++p) held.push_back(splat(p));
  for (int v = 0; v < vectors; ++v) {
    Value* wv = w(v);
    for (int p = 0; p < pixels; ++p) {
      if (held[static_cast<size_t>(p)]) accumulate(p, v, held[static_cast<size_t>(p)], wv);
    }
  }
}

}  // namespace hone
