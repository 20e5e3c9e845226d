#include "compiler/ops/attention/kernel_pack.h"

#include <algorithm>

#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/packed_panel.h"

namespace hone {
namespace {

constexpr int64_t kPackedBytes = AttentionWorkspace::kBytes;

}  // namespace

KeyPacker::KeyPacker(KernelBuilder& builder, const AttentionParts& parts, const MatmulShape& scores,
                     const MatmulShape& values, const AttentionTiles& tiles, const AttentionWorkspace& space,
                     const MatmulOperand& keys, const MatmulOperand& value_rows, Value* workspace,
                     const StageArgs& args)
    : b_(builder),
      s_(scores),
      v_(values),
      t_(tiles),
      space_(space),
      keys_(keys),
      values_(value_rows),
      parts_(parts),
      packed_(workspace),
      key_count_(parts.key_count < 0 ? nullptr : b_.LoadAs(b_.i64(), b_.Operand(args, parts.key_count))),
      keys_needed_(KeysNeeded()) {}

Value* KeyPacker::KeysNeeded() const {
  const int64_t whole = t_.matrix_tiles ? 2 * MatrixTiles::kRows : std::max(b_.lanes(), kBFloatGroup);
  if (key_count_ == nullptr || s_.N % whole != 0) return b_.Index(s_.N);
  Value* vectors = b_.Div(b_.Add(b_.Max(key_count_, b_.Index(1)), whole - 1), whole);
  return b_.Min(b_.Mul(vectors, whole), b_.Index(s_.N));
}

bool KeyPacker::reads_values() const {
  const bool dense = v_.weights_are_neighbours() && v_.weight.column == v_.N && v_.N % b_.lanes() == 0;
  return key_count_ != nullptr && dense && v_.types.weight == DType::kFloat32 && !t_.matrix_tiles;
}

void KeyPacker::Pack(Value* product, Value* is_first) const {
  const auto if_new = [&](int64_t products, const std::function<void(Value * matrix)>& pack) {
    if (products == 1) return pack(product);
    Value* is_next = b_.ir().CreateICmpEQ(b_.Mod(product, products), b_.Index(0));
    b_.If(b_.ir().CreateOr(is_first, is_next), [&] { pack(b_.Div(product, products)); });
  };
  if_new(parts_.products_per_keys,
         [&](Value* matrix) { PackMatrix(s_, keys_, matrix, {t_.score_columns, s_.steps(), keys_needed_}, packed_); });
  if (reads_values()) return;
  if_new(parts_.products_per_values, [&](Value* matrix) {
    PackMatrix(v_, values_, matrix, {t_.value_columns, space_.value_steps, b_.Index(v_.N), depth()},
               b_.At(packed_, space_.values));
    if (key_count_ != nullptr) ZeroValuesBehindKeys();
  });
}

// Packs all panels of a right matrix. Steps past the matrix's own are zeros.
void KeyPacker::PackMatrix(const MatmulShape& shape, const MatmulOperand& matrix, Value* product,
                           const Panel& panel_size, Value* to) const {
  const int64_t columns = panel_size.columns, row_bytes = columns * kPackedBytes;
  const PanelPacking packing{
      shape.types,     shape.K, b_.lanes(), row_bytes, matrix.row, matrix.column, shape.weights_are_neighbours(),
      panel_size.depth};
  Value* from = matrix.Matrix(b_, product);
  ForPanels(shape.N, panel_size.all, columns, [&](Value* panel, int64_t width) {
    Value* packed = b_.At(to, b_.Mul(panel, panel_size.bytes()));
    packing.Emit(b_, b_.At(from, b_.Mul(b_.Mul(panel, columns), matrix.row)), packed, width);
    Zero(b_.At(packed, shape.steps() * row_bytes), (panel_size.steps - shape.steps()) * row_bytes);
  });
}

// A NaN that lies there would not be removed by a weight of 0.
void KeyPacker::ZeroValuesBehindKeys() const {
  const int64_t group = v_.dot(), row_bytes = t_.value_columns * kPackedBytes;
  Value* count = b_.Min(b_.Max(key_count_, b_.Index(0)), b_.Index(v_.K));
  Value* end = needs_all_keys() ? b_.Index(v_.steps()) : b_.Div(keys_needed_, group);
  ForPanels(v_.N, b_.Index(v_.N), t_.value_columns, [&](Value* panel, int64_t) {
    Value* packed = b_.At(packed_, b_.Add(b_.Mul(panel, row_bytes * space_.value_steps), space_.values));
    b_.For(b_.Div(b_.Add(count, group - 1), group), end, 1,
           [&](Value* step) { Zero(b_.At(packed, b_.Mul(step, row_bytes)), row_bytes); });
    if (group == 1) return;
    Value* step = b_.At(packed, b_.Mul(b_.Div(count, group), row_bytes));
    b_.If(b_.ir().CreateICmpNE(b_.Mod(count, group), b_.Index(0)), [&] { ZeroSecondOfPairs(step); });
  });
}

// Zeros the second of each pair of bfloat16 in a step.
void KeyPacker::ZeroSecondOfPairs(Value* step) const {
  b_.For(0, t_.value_columns, 1, [&](Value* column) {
    Value* pair = b_.At(step, b_.Mul(column, kPackedBytes));
    b_.Store(b_.ir().CreateAnd(b_.LoadAs(b_.ir().getInt32Ty(), pair), 0xFFFF), pair);
  });
}

void KeyPacker::Zero(Value* from, int64_t bytes) const {
  constexpr int64_t kLine = 64;
  const auto zeros = [&](Value* to, int64_t count) {
    b_.Store(llvm::Constant::getNullValue(VectorOf(b_.ir().getInt8Ty(), static_cast<int>(count))), to);
  };
  b_.For(0, bytes / kLine, 1, [&](Value* line) { zeros(b_.At(from, b_.Mul(line, kLine)), kLine); });
  for (int64_t at = bytes / kLine * kLine; at < bytes; at += kPackedBytes) zeros(b_.At(from, at), kPackedBytes);
}

void KeyPacker::ForPanels(int64_t all, Value* needed, int64_t columns,
                          const std::function<void(Value* panel, int64_t width)>& body) const {
  const int64_t whole = all / columns;
  Value* panels = b_.Div(b_.Add(needed, columns - 1), columns);
  b_.For(b_.Index(0), b_.Min(panels, b_.Index(whole)), 1, [&](Value* panel) { body(panel, columns); });
  const auto last = [&] { body(b_.Index(whole), all % columns); };
  if (all % columns == 0) return;
  if (llvm::isa<llvm::Constant>(needed)) return last();
  b_.If(b_.ir().CreateICmpSGT(panels, b_.Index(whole)), last);
}

}  // namespace hone
