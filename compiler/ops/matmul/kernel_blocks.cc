// Integers in blocks without a schedule: correct for any shape, not tuned.
#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/matmul/op_blocks.h"
#include "core/error.h"

namespace hone {
namespace {

// The real weight at a row's coordinates and `column`. Arguments from `first` on are words, scales and zero points.
Value* RealWeight(Evaluator& e, const relay::Call& call, size_t first, Coordinates row, const Coordinate& column) {
  KernelBuilder& b = e.b();
  auto& ir = b.ir();
  const BlockFormat format = relay::BlockFormatOf(call.attrs, call.args.size() > first + 2);
  const auto eval = [&](size_t argument, int64_t neighbours) {
    row.push_back(At(b.Div(column.base, neighbours)));
    Value* value = e.Eval(call.args[argument], row, kScalar);
    row.pop_back();
    return value;
  };
  Value* word = eval(first, format.per_word());
  Value* place = ir.CreateTrunc(b.Mod(column.base, format.per_word()), b.i32());
  const auto bits = static_cast<int>(format.bits), above = 32 - bits;
  Value* left = ir.CreateSub(ir.getInt32(above), ir.CreateMul(place, ir.getInt32(bits)));
  Value* integer = ir.CreateAShr(ir.CreateShl(word, left), above);
  if (format.zeros) integer = ir.CreateSub(integer, ir.CreateSExt(eval(first + 2, format.block), b.i32()));
  return b.FMul(ir.CreateSIToFP(integer, b.f32()), eval(first + 1, format.block));
}

Value* UnpackBlocks(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return e.PerLane(lanes, at, call.type->dtype, [&](const Coordinates& one) {
    return RealWeight(e, call, 0, {one.begin(), one.end() - 1}, one.back());
  });
}

Value* DenseBlocks(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  if (relay::QuantisesRows(call.attrs))
    throw Error(ExitCode::kBug, "rows of nn.dense_blocks are quantised by schedules");
  return e.PerLane(lanes, at, call.type->dtype, [&](const Coordinates& one) {
    const auto step = [&](Value* sum, const Coordinate& k, Lanes l) {
      Value* w = e.PerLane(l, {k}, DType::kFloat32, [&](const Coordinates& column) {
        return RealWeight(e, call, 1, {one.back()}, column.back());
      });
      return MultipliedAdd(b, e.Eval(call.args[0], {one[0], k}, l), w, sum);
    };
    return FoldAlong(b, {FoldKind::kSum, b.f32(), step}, TensorTypeOf(call.args[0]).shape.back());
  });
}

}  // namespace

EmitterTable BlockEmitters() { return {{"unpack_blocks", UnpackBlocks}, {"nn.dense_blocks", DenseBlocks}}; }

}  // namespace hone
