#include "compiler/schedules/conv2d/winograd_patch.h"

#include "compiler/codegen/element.h"

namespace hone {

void FillWinogradPatch(KernelBuilder& b, const WinogradPlane& plane, int64_t side, Value* data, Value* h, Value* w,
                       Value* patch) {
  const int64_t vector = Bytes(plane.dtype, plane.lanes);
  Value* zeros = llvm::Constant::getNullValue(VectorOf(ElementType(b, plane.dtype), plane.lanes));
  b.For(0, side, 1, [&](Value* r) {
    b.For(0, side, 1, [&](Value* c) {
      Value *y = b.Add(h, r), *x = b.Add(w, c);
      Value* target = b.At(patch, b.Mul(b.Add(b.Mul(r, side), c), vector));
      // As unsigned numbers, so that negative indices are outside too.
      Value* inside = b.ir().CreateAnd(b.ir().CreateICmpULT(y, b.Index(plane.height)),
                                       b.ir().CreateICmpULT(x, b.Index(plane.width)));
      b.If(
          inside,
          [&] {
            Value* from = b.At(data, b.Mul(b.Add(b.Mul(y, plane.width), x), vector));
            b.Store(LoadElements(b, plane.dtype, from, plane.lanes), target);
          },
          [&] { b.Store(zeros, target); });
    });
  });
}

}  // namespace hone
