#include "compiler/generic/safe_index.h"

namespace hone {

Value* SafeIndex(KernelBuilder& b, Value* index, int64_t extent) {
  auto& ir = b.ir();
  Value* wide =
      index->getType()->isFloatingPointTy() ? ir.CreateFPToSI(index, b.i64()) : ir.CreateSExtOrTrunc(index, b.i64());
  Value* forward = ir.CreateSelect(ir.CreateICmpSLT(wide, b.Index(0)), b.Add(wide, extent), wide);
  return b.Min(b.Max(forward, b.Index(0)), b.Index(extent - 1));
}

}  // namespace hone
