// Copies a Winograd tile that reaches past its image, with zeros outside the image.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// A plane of rows of vectors of `lanes` channels.
struct WinogradPlane {
  int64_t height, width;
  DType dtype;
  int lanes;
};

// Emits a copy of side x side vectors of `data` to `patch`, row by row. They begin at row h and column w, which may be
// negative. Vectors outside the plane are zeros; for bytes these stand for the value zero too.
void FillWinogradPatch(KernelBuilder& b, const WinogradPlane& plane, int64_t side, Value* data, Value* h, Value* w,
                       Value* patch);

}  // namespace hone
