#include "compiler/schedules/parts/register_tile.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "core/nth.h"

namespace hone {

namespace {

// Widens the even (half 0) or odd (half 1) bytes of lanes of four bytes to 16 bits: twice as many lanes as int32 has.
//
//   fours   | b0 b1 b2 b3 | per int32 lane
//   half 0  |  b0   b2    |
//   half 1  |  b1   b3    |
Value* WidenedHalf(KernelBuilder& b, Value* fours, DType dtype, int half) {
  auto& ir = b.ir();
  const auto lanes = static_cast<unsigned>(LaneCount(fours));
  auto* shorts = llvm::FixedVectorType::get(ir.getInt16Ty(), 2 * lanes);
  Value* pairs = ir.CreateBitCast(fours, shorts);
  // Shifts extend the byte's sign, or zeros.
  if (half == 0) pairs = ir.CreateShl(pairs, 8);
  return dtype == DType::kInt8 ? ir.CreateAShr(pairs, 8) : ir.CreateLShr(pairs, 8);
}

// The variant of x86's pmaddwd for `lanes` int32 lanes, or not_intrinsic.
llvm::Intrinsic::ID PairInstruction(KernelBuilder& b, int lanes) {
  if (!llvm::Triple(b.module().getTargetTriple()).isX86()) return llvm::Intrinsic::not_intrinsic;
  switch (lanes) {
    case 4:
      return llvm::Intrinsic::x86_sse2_pmadd_wd;
    case 8:
      return llvm::Intrinsic::x86_avx2_pmadd_wd;
    case 16:
      return llvm::Intrinsic::x86_avx512_pmaddw_d_512;
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

// Adds the products of 16-bit neighbours, two by two, in int32. A single lane is a scalar.
Value* PairProducts(KernelBuilder& b, Value* x, Value* w, llvm::Type* sums, int lanes) {
  auto& ir = b.ir();
  // Uses the intrinsic, because code generation splits the plain form below if it has widened the operands itself.
  if (const auto id = PairInstruction(b, lanes)) return ir.CreateIntrinsic(id, {}, {x, w});
  std::vector<int> even, odd;
  for (int l = 0; l < lanes; ++l) {
    even.push_back(2 * l);
    odd.push_back(2 * l + 1);
  }
  const auto wide = [&](Value* pairs, const std::vector<int>& picked) {
    Value* shorts = lanes == 1 ? ir.CreateExtractElement(pairs, static_cast<uint64_t>(picked[0]))
                               : ir.CreateShuffleVector(pairs, llvm::ArrayRef<int>(picked));
    return ir.CreateSExt(shorts, sums);
  };
  const auto product = [&](const std::vector<int>& picked) { return ir.CreateMul(wide(x, picked), wide(w, picked)); };
  return ir.CreateAdd(product(even), product(odd));
}

Value* WidenedProducts(KernelBuilder& b, DType data, DType weight, Value* x, Value* w, Value* acc) {
  Value* fours = b.ir().CreateBitCast(w, acc->getType());
  for (const int half : {0, 1}) {
    Value* pairs = PairProducts(b, WidenedHalf(b, x, data, half), WidenedHalf(b, fours, weight, half), acc->getType(),
                                LaneCount(acc));
    acc = b.ir().CreateAdd(acc, pairs);
  }
  return acc;
}

bool ForAArch64(KernelBuilder& b) { return llvm::Triple(b.module().getTargetTriple()).isAArch64(); }

// The bytes of lanes of four.
Value* BytesOf(KernelBuilder& b, Value* fours, int lanes) {
  return b.ir().CreateBitCast(fours, llvm::FixedVectorType::get(b.ir().getInt8Ty(), static_cast<unsigned>(4 * lanes)));
}

// Adds four products of an unsigned and a signed byte to an int32, without saturation: x86's vpdpbusd, AArch64's usdot.
Value* MixedFours(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  auto& ir = b.ir();
  const int lanes = LaneCount(acc);
  if (ForAArch64(b)) {
    Value *of_x = BytesOf(b, x, lanes), *of_w = BytesOf(b, w, lanes);
    return ir.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_usdot, {acc->getType(), of_x->getType()},
                              {acc, of_x, of_w});
  }
  const auto id = lanes == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                  : lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                               : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
  return ir.CreateIntrinsic(id, {}, {acc, x, ir.CreateBitCast(w, acc->getType())});
}

// Adds four products of signed bytes to an int32: AArch64's sdot.
Value* SignedFours(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  return b.ir().CreateIntrinsic(llvm::Intrinsic::aarch64_neon_sdot, {acc->getType(), x->getType()}, {acc, x, w});
}

// MixedFours for a machine with SignedFours alone. So x * w is computed as (x - 128) * w + 128 * w; taking 128 away
// flips the highest bit. The added term depends only on the weights, so a tile computes it once for all its pixels. It
// is twice the product with 64, because 128 is no signed byte.
Value* MixedOfSigned(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  auto& ir = b.ir();
  const int lanes = LaneCount(acc);
  Value *of_x = BytesOf(b, x, lanes), *of_w = BytesOf(b, w, lanes);
  auto* zero = llvm::Constant::getNullValue(acc->getType());
  auto* half = llvm::ConstantInt::getSigned(of_w->getType(), 64);
  Value* more = ir.CreateShl(SignedFours(b, of_w, half, zero), 1);
  Value* flipped = ir.CreateXor(of_x, llvm::ConstantInt::get(of_x->getType(), 0x80));
  return ir.CreateAdd(SignedFours(b, flipped, of_w, acc), more);
}

// Takes the first (0) or second (1) of each lane's two bfloat16 as float32: a bfloat16 is a float32's upper half.
Value* FloatOfPair(KernelBuilder& b, Value* pairs, llvm::Type* floats, int which) {
  auto& ir = b.ir();
  Value* bits = which == 0 ? ir.CreateShl(pairs, 16) : ir.CreateAnd(pairs, 0xffff0000U);
  return ir.CreateBitCast(bits, floats);
}

Value* WidenedPairProducts(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  Value* pairs = b.ir().CreateBitCast(w, x->getType());
  for (const int which : {0, 1}) {
    acc = b.Fma(FloatOfPair(b, x, acc->getType(), which), FloatOfPair(b, pairs, acc->getType(), which), acc);
  }
  return acc;
}

// x86's vdpbf16ps or AArch64's bfdot.
Value* PairDots(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  const int lanes = LaneCount(acc);
  auto* pairs = llvm::FixedVectorType::get(b.ir().getBFloatTy(), static_cast<unsigned>(2 * lanes));
  Value *of_x = b.ir().CreateBitCast(x, pairs), *of_w = b.ir().CreateBitCast(w, pairs);
  if (ForAArch64(b)) {
    return b.ir().CreateIntrinsic(llvm::Intrinsic::aarch64_neon_bfdot, {acc->getType(), pairs}, {acc, of_x, of_w});
  }
  const auto id = lanes == 16  ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512
                  : lanes == 8 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256
                               : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128;
  return b.ir().CreateIntrinsic(id, {}, {acc, of_x, of_w});
}

}  // namespace

int DotGroup(const ElementTypes& types) { return types.whole() ? kDotGroup : types.bfloat() ? kBFloatGroup : 1; }

Value* FloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc) { return b.Fma(x, w, acc); }

MultiplyAdd DotProduct(DType data, DType weight) {
  return [=](KernelBuilder& b, Value* x, Value* w, Value* acc) {
    const int lanes = LaneCount(acc);
    const bool known = lanes == 4 || lanes == 8 || lanes == 16, is_signed = data == DType::kInt8;
    if (known && b.machine().byte_dots == ByteDots::kMixedFours && data != weight) {
      return is_signed ? MixedFours(b, b.ir().CreateBitCast(w, acc->getType()), x, acc) : MixedFours(b, x, w, acc);
    }
    if (known && b.machine().byte_dots == ByteDots::kSignedFours && weight == DType::kInt8) {
      return is_signed ? SignedFours(b, BytesOf(b, x, lanes), BytesOf(b, w, lanes), acc) : MixedOfSigned(b, x, w, acc);
    }
    return WidenedProducts(b, data, weight, x, w, acc);
  };
}

Value* BFloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  const int lanes = LaneCount(acc);
  const bool known = lanes == 4 || ((lanes == 8 || lanes == 16) && !ForAArch64(b));
  return known && !b.machine().bfloat_dots_feature.empty() ? PairDots(b, x, w, acc) : WidenedPairProducts(b, x, w, acc);
}

MultiplyAdd StepOf(const ElementTypes& types) {
  if (types.whole()) return DotProduct(types.data, types.weight);
  return types.bfloat() ? BFloatMultiplyAdd : FloatMultiplyAdd;
}

DType StepWeight(const ElementTypes& types, const MachineModel& machine) {
  if (!types.whole() || machine.byte_dots == ByteDots::kWidened || machine.byte_dots == ByteDots::kPairs) {
    return types.weight;
  }
  const bool mixed = machine.byte_dots == ByteDots::kMixedFours;
  return mixed && types.data == DType::kInt8 ? DType::kUInt8 : DType::kInt8;
}

Value* PairOfFours(KernelBuilder& b, Value* fours, DType dtype, int half) {
  const auto lanes = static_cast<unsigned>(LaneCount(fours) / kDotGroup);
  return WidenedHalf(b, b.ir().CreateBitCast(fours, llvm::FixedVectorType::get(b.ir().getInt32Ty(), lanes)), dtype,
                     half);
}

Value* PairMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc) {
  const int lanes = LaneCount(acc);
  if (b.machine().adds_pairs && (lanes == 4 || lanes == 8 || lanes == 16)) {
    const auto id = lanes == 16  ? llvm::Intrinsic::x86_avx512_vpdpwssd_512
                    : lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpwssd_256
                                 : llvm::Intrinsic::x86_avx512_vpdpwssd_128;
    return b.ir().CreateIntrinsic(id, {}, {acc, x, b.ir().CreateBitCast(w, acc->getType())});
  }
  Value* pairs = b.ir().CreateBitCast(x, w->getType());
  return b.ir().CreateAdd(acc, PairProducts(b, pairs, w, acc->getType(), lanes));
}

int PartsOf(const ElementTypes& types, const MachineModel& machine) {
  const bool fours = machine.byte_dots == ByteDots::kMixedFours ||
                     (machine.byte_dots == ByteDots::kSignedFours && types.data == DType::kInt8);
  const bool one = types.bfloat() ? !machine.bfloat_dots_feature.empty() : !types.whole() || fours;
  return one ? 1 : 2;
}

int RegisterTile::RegistersOn(const MachineModel& machine) const {
  constexpr int kLoadedAhead = 5, kProducts = 3, kProductsApart = 3;
  // The second parts of a step's vectors also need two constants that make them.
  const int second = parts == 1 ? 0 : vectors + 2;
  if (machine.broadcast == Broadcast::kLane) return pixels * vectors + pixels + 1 + kLoadedAhead + second;
  const int products = !machine.has_fma ? kProducts : product_apart ? kProductsApart : 0;
  return registers() + products;
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

Vals RegisterTile::Offsets(KernelBuilder& b, Value* offsets) const {
  Vals once;
  for (int v = 0; v < vectors; ++v) {
    once.push_back(LoadElements(b, DType::kInt32, b.At(offsets, Bytes(DType::kInt32, int64_t{v} * lanes)), lanes));
  }
  Vals all;
  for (int p = 0; p < pixels; ++p) all.insert(all.end(), once.begin(), once.end());
  return all;
}

void RegisterTile::Step(KernelBuilder& b, Vals& acc, const std::function<Value*(int)>& x,
                        const std::function<Value*(int)>& w, const MultiplyAdd& multiply_add) const {
  auto splat = [&](int p) -> Value* {
    Value* of_pixel = x(p);
    const bool scalar = of_pixel != nullptr && !of_pixel->getType()->isVectorTy();
    return scalar ? b.Splat(of_pixel, lanes) : of_pixel;
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
