#include "compiler/schedules/conv2d/conv_emitter.h"

namespace hone {

KernelRows KernelRowsInside(KernelBuilder& b, const ConvShape& s, Value* row) {
  // Number of kernel rows, dilated, that begin `before` or more lines above the output's place; rounded up.
  const auto rows_until = [&](int64_t before) {
    Value* lines = b.Sub(b.Index(before + s.dil_h - 1), b.Mul(row, s.stride_h));
    return b.Min(b.Div(b.Max(lines, b.Index(0)), s.dil_h), b.Index(s.KH));
  };
  KernelRows rows{b.Index(0), b.Index(s.KH)};
  if (s.pad_t > 0) rows.first = rows_until(s.pad_t);
  const int64_t reach = (s.OH - 1) * s.stride_h - s.pad_t + (s.KH - 1) * s.dil_h;
  if (reach >= s.H) rows.end = rows_until(s.H + s.pad_t);
  return rows;
}

}  // namespace hone
