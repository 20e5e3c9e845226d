#include "compiler/schedules/parts/packed_bytes.h"

#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/codegen/math/float_bits.h"
#include "compiler/codegen/math/rounding.h"

namespace hone {
namespace {

constexpr int kLanes = 16, kLargest = 255;

Value* AtLeast(KernelBuilder& b, Value* x, double least) {
  return b.ir().CreateSelect(b.ir().CreateFCmpOGT(x, ConstantLike(x, least)), x, ConstantLike(x, least));
}
Value* AtMost(KernelBuilder& b, Value* x, double most) {
  return b.ir().CreateSelect(b.ir().CreateFCmpOLT(x, ConstantLike(x, most)), x, ConstantLike(x, most));
}

// Rounds to int32, halves to even, in one instruction. It rounds as the floating-point environment says; kernels run in
// the default one. Anything below int32's range becomes the least int32, and narrowing saturates it. So only the upper
// bound has to be kept before.
Value* Whole(KernelBuilder& b, const Epilogue& epilogue, Value* x) {
  auto& ir = b.ir();
  const double most = (epilogue.most > 0 ? epilogue.most : kLargest) - epilogue.zero_point;
  const bool by_products = DividesByProducts(b.machine(), epilogue.step);
  if (by_products) {
    // Clamps to the range that EmitDivideBy takes: a value one step beyond the bounds stays beyond them after the
    // division.
    x = AtMost(b, AtLeast(b, x, (-epilogue.zero_point - 1) * double{epilogue.step}), (most + 1) * epilogue.step);
  }
  if (epilogue.step != 1) x = EmitDivideBy(b, x, epilogue.step);
  if (!by_products || epilogue.most > 0) x = AtMost(b, x, most);
  auto* wide = llvm::FixedVectorType::get(b.i32(), kLanes);
  constexpr int kAsTheEnvironmentSays = 4;
  Value* number = ir.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_mask_cvtps2dq_512, {},
      {x, llvm::Constant::getNullValue(wide), ir.getInt16(0xffff), ir.getInt32(kAsTheEnvironmentSays)});
  if (epilogue.zero_point == 0) return number;
  return ir.CreateAdd(number, llvm::ConstantInt::getSigned(wide, epilogue.zero_point));
}

}  // namespace

bool PacksBytes(const Epilogue& epilogue, const ElementTypes& types, int vectors) {
  return types.output == DType::kUInt8 && epilogue.step > 0 && (vectors == 2 || vectors == 4);
}

Value* EmitPackedBytes(KernelBuilder& b, const Epilogue& epilogue, const Vals& values) {
  auto& ir = b.ir();
  const llvm::IRBuilderBase::FastMathFlagGuard restores(ir);
  ir.clearFastMathFlags();
  Vals whole;
  for (Value* value : values) whole.push_back(Whole(b, epilogue, value));
  const auto shorts = [&](Value* low, Value* high) {
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_packssdw_512, {}, {low, high});
  };
  Value* first = shorts(whole[0], whole[1]);
  Value* second = whole.size() == 4 ? shorts(whole[2], whole[3]) : first;
  Value* bytes = ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_packuswb_512, {}, {first, second});
  // Packing works per quarter of a register: four bytes of each vector in turn. The shuffle puts them in order:
  //
  //   packed    a0-3 b0-3 c0-3 d0-3 | a4-7 b4-7 c4-7 d4-7 | a8-11 .. | a12-15 ..
  //   ordered   a0-3 a4-7 a8-11 a12-15 | b0-3 b4-7 .. | c0-3 .. | d0-3 ..
  Value* fours = ir.CreateBitCast(bytes, llvm::FixedVectorType::get(b.i32(), kLanes));
  std::vector<int> order;
  for (int vector = 0; vector < static_cast<int>(values.size()); ++vector) {
    for (int quarter = 0; quarter < 4; ++quarter) order.push_back(4 * quarter + vector);
  }
  Value* ordered = ir.CreateShuffleVector(fours, llvm::ArrayRef<int>(order));
  const auto lanes = static_cast<unsigned>(values.size()) * kLanes;
  return ir.CreateBitCast(ordered, llvm::FixedVectorType::get(ir.getInt8Ty(), lanes));
}

}  // namespace hone
