#include "compiler/schedules/matmul/byte_centres.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/schedules/parts/register_tile.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr DType kSum = DType::kInt32;
constexpr int kSignedShift = 128;
constexpr uint32_t kFourOnes = 0x01010101;

Value* Number(Value* like, uint32_t value) { return llvm::ConstantInt::get(like->getType(), value); }

Value* Zero(KernelBuilder& b, int lanes) { return llvm::Constant::getNullValue(VectorOf(b.i32(), lanes)); }

}  // namespace

ByteCentres::ByteCentres(KernelBuilder& builder, const MatmulShape& shape, const MatmulTile& tile,
                         const StageArgs& args, Value* packed, int64_t columns)
    : b_(builder), s_(shape), tile_(tile), packed_(packed) {
  columns_ = b_.At(packed, Bytes(kSum, shape.steps() * columns));
  rows_ = b_.At(columns_, Bytes(kSum, columns));
  Value* zeros = b_.Operand(args, 2);
  data_zero_ = LoadElements(b_, kSum, zeros, 1);
  Value* weight_zero = LoadElements(b_, kSum, b_.At(zeros, Bytes(kSum)), 1);
  weight_zero_ = b_.ir().CreateSub(weight_zero, Number(weight_zero, kSignedShift));
}

int64_t ByteCentres::WorkspaceBytes(const MatmulShape& shape, int64_t columns, int64_t rows) {
  return Bytes(kSum, (shape.steps() + 1) * columns + rows);
}

void ByteCentres::EmitColumns(int64_t columns) {
  auto& ir = b_.ir();
  const MultiplyAdd dot = DotProduct(DType::kUInt8, DType::kInt8);
  for (int v = 0; v < tile_.Vectors({1, columns}); ++v) {
    const int64_t at = Bytes(kSum, int64_t{v} * tile_.lanes);
    const Vals sums = b_.Loop(0, s_.steps(), 1, {Zero(b_, tile_.lanes)}, [&](Value* step, const Vals& sum) {
      Value* w = LoadElements(b_, kSum, b_.At(b_.At(packed_, b_.Mul(step, tile_.panel_step)), at), tile_.lanes);
      return Vals{dot(b_, Number(w, kFourOnes), w, sum[0])};
    });
    Value* all = ir.CreateMul(weight_zero_, Number(weight_zero_, static_cast<uint32_t>(s_.K)));
    Value* less = ir.CreateSub(b_.Splat(all, tile_.lanes), sums[0]);
    b_.Store(ir.CreateMul(b_.Splat(data_zero_, tile_.lanes), less), b_.At(columns_, at));
  }
}

// Reads a register of bytes at a time, then the shortest register's bytes, then single bytes.
Value* ByteCentres::SumOfRow(Value* x) {
  auto& ir = b_.ir();
  constexpr int kShortest = 4;
  Value* total = Zero(b_, 1);
  int64_t done = 0;
  for (const int lanes : {b_.lanes(), std::min(b_.lanes(), kShortest)}) {
    const int64_t group = int64_t{kDotGroup} * lanes, end = s_.K - (s_.K - done) % group;
    if (end == done) continue;
    const Vals sums = b_.Loop(done, end, group, {Zero(b_, lanes)}, [&](Value* k, const Vals& sum) {
      Value* bytes = LoadFours(b_, b_.At(x, k), lanes, s_.K);
      return Vals{DotProduct(DType::kUInt8, DType::kInt8)(b_, bytes, Number(bytes, kFourOnes), sum[0])};
    });
    total = ir.CreateAdd(total, lanes == 1 ? sums[0] : ir.CreateAddReduce(sums[0]));
    done = end;
  }
  return b_.Loop(done, s_.K, 1, {total}, [&](Value* k, const Vals& sum) {
    return Vals{ir.CreateAdd(sum[0], LoadConverted(b_, DType::kUInt8, b_.At(x, k), 1, kSum))};
  })[0];
}

Vals ByteCentres::Start(Value* x, TileSize size) {
  auto& ir = b_.ir();
  const auto at = [&](int64_t p) { return b_.At(rows_, Bytes(kSum, p)); };
  b_.If(
      ir.CreateICmpNE(weight_zero_, Number(weight_zero_, 0)),
      [&] {
        Value* row = x;
        for (int64_t p = 0; p < size.rows; ++p, row = b_.At(row, tile_.data_row)) {
          b_.Store(ir.CreateMul(ir.CreateNeg(weight_zero_), SumOfRow(row)), at(p));
        }
      },
      [&] {
        for (int64_t p = 0; p < size.rows; ++p) b_.Store(Zero(b_, 1), at(p));
      });
  Vals start;
  for (int64_t p = 0; p < size.rows; ++p) {
    Value* of_row = b_.Splat(LoadElements(b_, kSum, at(p), 1), tile_.lanes);
    for (int v = 0; v < tile_.Vectors(size); ++v) {
      Value* column = LoadElements(b_, kSum, b_.At(columns_, Bytes(kSum, int64_t{v} * tile_.lanes)), tile_.lanes);
      start.push_back(ir.CreateAdd(of_row, column));
    }
  }
  return start;
}

}  // namespace hone
