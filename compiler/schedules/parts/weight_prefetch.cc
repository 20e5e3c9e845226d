#include "compiler/schedules/parts/weight_prefetch.h"

#include "compiler/schedules/conv2d/conv_shape.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kMaxStraightLine = 16;  // prefetches emitted without a loop

}  // namespace

WeightPrefetch::WeightPrefetch(const MachineModel& machine, int64_t block_bytes, int64_t passes)
    : line_bytes_(machine.line_bytes), lines_(CeilDiv(CeilDiv(block_bytes, line_bytes_), passes)) {}

void WeightPrefetch::Emit(KernelBuilder& b, Value* next, Value* step, Value* wanted) const {
  if (lines_ == 0) return;
  Value* part = b.At(next, b.Mul(step, lines_ * line_bytes_));
  if (wanted == nullptr && lines_ <= kMaxStraightLine) {
    for (int64_t line = 0; line < lines_; ++line) b.Prefetch(b.At(part, line * line_bytes_));
  } else {
    Value* lines = wanted == nullptr ? b.Index(lines_) : b.Mul(b.ir().CreateZExt(wanted, b.i64()), lines_);
    b.For(b.Index(0), lines, 1, [&](Value* line) { b.Prefetch(b.At(part, b.Mul(line, line_bytes_))); });
  }
}

}  // namespace hone
