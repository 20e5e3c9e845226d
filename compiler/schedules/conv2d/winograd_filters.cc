#include "compiler/schedules/conv2d/winograd_filters.h"

#include "compiler/codegen/element.h"
#include "compiler/schedules/conv2d/winograd_square.h"
#include "compiler/schedules/conv2d/winograd_transform.h"

namespace hone {
namespace {

constexpr int64_t kSide = 3, kTaps = kSide * kSide;

// Transforms one vector of channel pairs: nine taps become alpha^2 frequencies.
void TransformOne(KernelBuilder& b, const WinogradNest& nest, Value* taps, Value* target, Value* scratch) {
  const int lanes = static_cast<int>(nest.group) * nest.lanes;
  const int64_t tap_bytes = Bytes(DType::kInt8, nest.knobs.tile_oc * lanes);
  auto* shorts = VectorOf(b.ir().getInt16Ty(), lanes);
  WinogradSquare half(b, shorts, nest.alpha, kSide, scratch);
  for (int64_t c = 0; c < kSide; ++c) {
    Vals column;
    for (int64_t r = 0; r < kSide; ++r) {
      Value* bytes = LoadElements(b, DType::kInt8, b.At(taps, (r * kSide + c) * tap_bytes), lanes);
      column.push_back(b.ir().CreateSExt(bytes, shorts));
    }
    const Vals done = WinogradFilter(b, column, nest.alpha);
    for (int64_t r = 0; r < nest.alpha; ++r) half.Set(r, c, Nth(done, r));
  }
  for (int64_t r = 0; r < nest.alpha; ++r) {
    const Vals done = WinogradFilter(b, {half.Get(r, 0), half.Get(r, 1), half.Get(r, 2)}, nest.alpha);
    for (int64_t c = 0; c < nest.alpha; ++c) {
      b.Store(Nth(done, c), b.At(target, (r * nest.alpha + c) * nest.filter_frequency_bytes));
    }
  }
}

}  // namespace

void EmitWinogradFilters(KernelBuilder& b, const WinogradNest& nest, Value* filters, Value* target, Value* scratch) {
  const int64_t vectors = nest.knobs.tile_oc, pairs = nest.in_blocks * nest.knobs.ic_block / nest.group;
  const int64_t from = Bytes(DType::kInt8, nest.group * nest.lanes), to = nest.weight_bytes * nest.group * nest.lanes;
  b.For(0, pairs, 1, [&](Value* pair) {
    b.For(0, vectors, 1, [&](Value* vector) {
      Value* taps = b.At(b.At(filters, b.Mul(pair, kTaps * vectors * from)), b.Mul(vector, from));
      TransformOne(b, nest, taps, b.At(b.At(target, b.Mul(pair, vectors * to)), b.Mul(vector, to)), scratch);
    });
  });
}

}  // namespace hone
