#include "compiler/schedules/conv2d/conv2d_direct_input.h"

#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/schedules/parts/register_tile.h"

namespace hone {

DirectInput::DirectInput(KernelBuilder& builder, const DirectNest& nest) : b_(builder), nest_(nest) {
  const ConvShape& s = nest.shape;
  data_.column = Bytes(nest.types.data, nest.knobs.ic_block);
  data_.row = nest.row_input * data_.column;
  data_.block = s.H * s.W * data_.column;
  read_.element = nest.widened ? kWidenedBytes : Bytes(nest.types.data);
  read_.column = nest.knobs.ic_block * read_.element;
  read_.pixel = prologue() ? read_.column : s.stride_w * read_.column;
  read_.kernel_row = nest.widened ? nest.row_input * read_.column : s.dil_h * data_.row;
  read_.block = prologue() ? nest.row_width * read_.column : nest.widened ? s.KH * read_.kernel_row : data_.block;
}

int64_t DirectInput::WorkspaceBytes(const DirectNest& nest) {
  const int64_t line =
      nest.widened ? kWidenedBytes * nest.shape.KH * nest.row_input : Bytes(nest.types.data, nest.row_width);
  return nest.PanelBlocks() * line * nest.knobs.ic_block;
}

int DirectInput::Load(const StageArgs& args, int next) {
  if (prologue()) {
    scale_ = b_.Operand(args, next++);
    shift_ = b_.Operand(args, next++);
  }
  if (nest_.PanelBlocks() > 0) panel_ = b_.WorkerWorkspace(args);
  return next;
}

void DirectInput::Prepare(Value* image, Value* row, Value* first, Value* end) const {
  Value* source = b_.At(image, b_.Mul(row, nest_.shape.stride_h * data_.row));
  const DType stored = nest_.types.data;
  const int lanes = static_cast<int>(nest_.knobs.ic_block);
  b_.For(0, nest_.in_blocks, 1, [&](Value* block) {
    Value* scale = b_.Load(b_.At(scale_, b_.Mul(block, Bytes(DType::kFloat32, lanes))), lanes);
    Value* shift = b_.Load(b_.At(shift_, b_.Mul(block, Bytes(DType::kFloat32, lanes))), lanes);
    Value* from = b_.At(source, b_.Mul(block, data_.block));
    Value* to = b_.At(panel_, b_.Mul(block, read_.block));
    b_.For(first, end, 1, [&](Value* column) {
      Value* pixel = b_.At(from, b_.Mul(column, nest_.shape.stride_w * data_.column));
      Value* done = b_.Fma(LoadConverted(b_, stored, pixel, lanes, DType::kFloat32), scale, shift);
      if (nest_.prologue == Prologue::kScaleShiftRelu) done = b_.FMax(done, b_.FloatVec(0, lanes));
      b_.Store(Converted(b_, done, DType::kFloat32, stored), b_.At(to, b_.Mul(column, read_.column)));
    });
  });
}

Value* DirectInput::FirstRow(Value* source, Value* row) const {
  const ConvShape& s = nest_.shape;
  return b_.At(b_.At(source, b_.Mul(row, s.stride_h * data_.row)), -s.pad_t * data_.row);
}

void DirectInput::Widen(Value* source, Value* row, const KernelRows& rows) const {
  const ConvShape& s = nest_.shape;
  Value* first = FirstRow(source, row);
  b_.For(0, nest_.PanelBlocks(), 1, [&](Value* block) {
    Value* from = b_.At(first, b_.Mul(block, data_.block));
    Value* to = b_.At(panel_, b_.Mul(block, read_.block));
    b_.For(rows.first, rows.end, 1, [&](Value* kh) {
      WidenLine(b_.At(from, b_.Mul(kh, s.dil_h * data_.row)), b_.At(to, b_.Mul(kh, read_.kernel_row)));
    });
  });
}

void DirectInput::WidenLine(Value* from, Value* to) const {
  const int64_t line = nest_.row_input * nest_.knobs.ic_block, vector = int64_t{2} * b_.machine().vector_lanes;
  const int64_t whole = line / vector * vector;
  const auto widen = [&](Value* at, int64_t elements) {
    const int lanes = static_cast<int>(elements);
    Value* bytes = LoadElements(b_, nest_.types.data, b_.At(from, at), lanes);
    auto* shorts = VectorOf(b_.ir().getInt16Ty(), lanes);
    const bool is_signed = nest_.types.data == DType::kInt8;
    Value* wide = is_signed ? b_.ir().CreateSExt(bytes, shorts) : b_.ir().CreateZExt(bytes, shorts);
    std::vector<int> order;
    for (int l = 0; l < lanes; ++l) order.push_back(l % 4 == 1 ? l + 1 : l % 4 == 2 ? l - 1 : l);
    b_.Store(b_.ir().CreateShuffleVector(wide, order), b_.At(to, b_.Mul(at, read_.element)));
  };
  b_.For(0, whole, vector, [&](Value* at) { widen(at, vector); });
  b_.For(whole, line, kDotGroup, [&](Value* at) { widen(at, kDotGroup); });
}

}  // namespace hone
