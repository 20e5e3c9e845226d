#include "compiler/schedules/register_tile.h"

#include <fmt/format.h>

#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/float_bits.h"
#include "core/nth.h"

namespace hone {

namespace {

// Of a vector of lanes * group elements, element g of each lane's group.
Value* OfGroups(KernelBuilder& b, Value* grouped, int lanes, int group, int g) {
  std::vector<int> mask;
  for (int l = 0; l < lanes; ++l) mask.push_back(l * group + g);
  return b.ir().CreateShuffleVector(grouped, llvm::ArrayRef<int>(mask));
}

}  // namespace

Value* FloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc) { return b.Fma(x, w, acc); }

MultiplyAdd DotProduct(DType data, DType weight, int group) {
  return [=](KernelBuilder& b, Value* x, Value* w, Value* acc) {
    const int lanes = LaneCount(acc);
    Value* bytes = b.ir().CreateBitCast(x, w->getType());
    for (int g = 0; g < group; ++g) {
      Value* xg = Converted(b, OfGroups(b, bytes, lanes, group, g), data, DType::kInt32);
      Value* wg = Converted(b, OfGroups(b, w, lanes, group, g), weight, DType::kInt32);
      acc = b.ir().CreateAdd(acc, b.ir().CreateMul(xg, wg));
    }
    return acc;
  };
}

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

Vals RegisterTile::Zeros(KernelBuilder& b, DType accumulator) const {
  Value* zero = llvm::Constant::getNullValue(VectorOf(ElementType(b, accumulator), lanes));
  return Vals(static_cast<size_t>(pixels) * static_cast<size_t>(vectors), zero);
}

void RegisterTile::Step(KernelBuilder& b, Vals& acc, const std::function<Value*(int)>& x,
                        const std::function<Value*(int)>& w, const MultiplyAdd& multiply_add) const {
  auto splat = [&](int p) -> Value* {
    Value* scalar = x(p);
    return scalar ? b.Splat(scalar, lanes) : nullptr;
  };
  auto accumulate = [&](int p, int v, Value* xp, Value* wv) {
    Value*& a = Nth(acc, p * vectors + v);
    a = multiply_add(b, xp, wv, a);
  };
  if (vectors <= pixels) {
    Vals held;
    for (int v = 0; v < vectors; ++v) held.push_back(w(v));
    for (int p = 0; p < pixels; ++p) {
      Value* xp = splat(p);
      for (int v = 0; xp && v < vectors; ++v) accumulate(p, v, xp, Nth(held, v));
    }
    return;
  }
  Vals held;
  for (int p = 0; p < pixels; ++p) held.push_back(splat(p));
  for (int v = 0; v < vectors; ++v) {
    Value* wv = w(v);
    for (int p = 0; p < pixels; ++p) {
      if (Nth(held, p)) accumulate(p, v, Nth(held, p), wv);
    }
  }
}

}  // namespace hone
