// A tile that reaches past its image, with zeros there.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// Rows of vectors of `lanes` channels.
struct WinogradPlane {
  int64_t height, width;
  DType dtype;
  int lanes;
};

// Emits a copy of the side x side vectors of `data` from row h and column w on, which may be negative, to `patch`, row
// by row; those outside the plane are zeros, which of bytes stand for zeros too.
void FillWinogradPatch(KernelBuilder& b, const WinogradPlane& plane, int64_t side, Value* data, Value* h, Value* w,
                       Value* patch);

}  // namespace hone
