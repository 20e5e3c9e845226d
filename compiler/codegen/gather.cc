#include "compiler/codegen/gather.h"

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "core/machine/machine_rows.h"

namespace hone {

bool GathersPay(KernelBuilder& b, llvm::Type* element, int lanes) {
  constexpr int kLeastLanes = 8;
  constexpr unsigned kFloatBits = 32;
  if (lanes < kLeastLanes || element->getScalarSizeInBits() != kFloatBits) return false;
  const llvm::Function* function = b.ir().GetInsertBlock()->getParent();
  return HasFastGathers(std::string_view(function->getFnAttribute("target-cpu").getValueAsString()));
}

Value* GatherElements(KernelBuilder& b, llvm::Type* element, Value* base, Value* places, int valid) {
  auto& ir = b.ir();
  const int lanes = LaneCount(places);
  std::vector<llvm::Constant*> mask;
  for (int lane = 0; lane < lanes; ++lane) mask.push_back(ir.getInt1(lane < valid));
  Value* wide = ir.CreateSExt(places, VectorOf(b.i64(), lanes));
  Value* addresses = ir.CreateGEP(element, base, wide);
  return ir.CreateMaskedGather(VectorOf(element, lanes), addresses, llvm::Align(element->getScalarSizeInBits() / 8),
                               llvm::ConstantVector::get(mask));
}

}  // namespace hone
