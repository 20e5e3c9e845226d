#include "compiler/ops/elementwise/kernel_extreme.h"

#include "compiler/codegen/element.h"

namespace hone {

Value* EmitExtreme(KernelBuilder& b, Value* x, Value* y, bool larger, bool is_unsigned) {
  auto& ir = b.ir();
  if (!x->getType()->isFPOrFPVectorTy()) {
    Value* greater = is_unsigned ? ir.CreateICmpUGT(x, y) : ir.CreateICmpSGT(x, y);
    return larger ? ir.CreateSelect(greater, x, y) : ir.CreateSelect(greater, y, x);
  }
  Value* chosen = larger ? b.FMax(x, y) : b.FMin(x, y);
  return ir.CreateSelect(ir.CreateFCmpUNO(y, y), y, chosen);
}

}  // namespace hone
