// Permutes either 8 granules of 4 bytes (AVX2's vpermd) or 16 of a byte (pshufb, tbl). An element is one granule or
// several.
#include "compiler/ops/movement/kernel_lane_permutation.h"

#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include "compiler/codegen/element.h"
#include "core/nth.h"

namespace hone {
namespace {

struct Permutation {
  llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
  int granules = 0;
  int granule_bytes = 1;
};

Permutation PermutationFor(KernelBuilder& b, DType dtype) {
  const llvm::Triple triple(b.module().getTargetTriple());
  if (triple.isAArch64()) return {llvm::Intrinsic::aarch64_neon_tbl1, 16, 1};
  if (!triple.isX86()) return {};
  if (b.lanes() >= 8 && DTypeBytes(dtype) >= 4) return {llvm::Intrinsic::x86_avx2_permd, 8, 4};
  return {llvm::Intrinsic::x86_ssse3_pshuf_b_128, 16, 1};
}

}  // namespace

int PermutableLanes(KernelBuilder& b, DType dtype) {
  const Permutation permutation = PermutationFor(b, dtype);
  return permutation.granules * permutation.granule_bytes / static_cast<int>(DTypeBytes(dtype));
}

std::vector<uint8_t> OrderBytes(KernelBuilder& b, DType dtype, const std::vector<int64_t>& lanes) {
  const int64_t granules = DTypeBytes(dtype) / PermutationFor(b, dtype).granule_bytes;  // granules per element
  std::vector<uint8_t> bytes;
  for (const int64_t lane : lanes) {
    for (int64_t i = 0; i < granules; ++i) bytes.push_back(static_cast<uint8_t>(lane * granules + i));
  }
  return bytes;
}

Value* PermutedLanes(KernelBuilder& b, DType dtype, Value* low, Value* high, Value* order) {
  auto& ir = b.ir();
  const Permutation permutation = PermutationFor(b, dtype);
  llvm::Type* granules =
      VectorOf(ir.getIntNTy(static_cast<unsigned>(8 * permutation.granule_bytes)), permutation.granules);
  Value* lanes = b.LoadAs(VectorOf(ir.getInt8Ty(), permutation.granules), order);
  lanes = ir.CreateZExt(lanes, granules);
  Value* last = llvm::ConstantInt::get(granules, static_cast<uint64_t>(permutation.granules - 1));
  const auto permuted = [&](Value* vector, Value* by) -> Value* {
    return ir.CreateIntrinsic(permutation.id,
                              permutation.id == llvm::Intrinsic::aarch64_neon_tbl1
                                  ? llvm::ArrayRef<llvm::Type*>(granules)
                                  : llvm::ArrayRef<llvm::Type*>(),
                              {ir.CreateBitCast(vector, granules), by});
  };
  if (high == nullptr) return ir.CreateBitCast(permuted(low, lanes), low->getType());
  Value* within = ir.CreateAnd(lanes, last);
  Value* chosen = ir.CreateSelect(ir.CreateICmpUGT(lanes, last), permuted(high, within), permuted(low, within));
  return ir.CreateBitCast(chosen, low->getType());
}

Value* ConstantArray(KernelBuilder& b, llvm::Constant* elements) {
  for (llvm::GlobalVariable& known : b.module().globals()) {
    if (known.hasInitializer() && known.getInitializer() == elements) return &known;
  }
  auto* array = new llvm::GlobalVariable(b.module(), elements->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                         elements, "array");
  array->setAlignment(llvm::Align(64));
  return array;
}

}  // namespace hone
