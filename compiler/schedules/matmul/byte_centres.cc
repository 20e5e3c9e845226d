#include "compiler/schedules/matmul/byte_centres.h"

#include <algorithm>
#include <functional>
#include <vector>

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

// Adds each lane's four bytes to its sum.
Value* AddFours(KernelBuilder& b, DType type, Value* fours, Value* sum) {
  Value* ones = Number(fours, kFourOnes);
  if (type == DType::kUInt8) return DotProduct(DType::kUInt8, DType::kInt8)(b, fours, ones, sum);
  const DType one = b.machine().byte_dots == ByteDots::kSignedFours ? DType::kInt8 : DType::kUInt8;
  return DotProduct(one, DType::kInt8)(b, ones, fours, sum);
}

}  // namespace

ByteCentres::ByteCentres(KernelBuilder& builder, const MatmulShape& shape, const MatmulTile& tile,
                         const StageArgs& args, Value* memory, int64_t rows)
    : b_(builder), s_(shape), tile_(tile), rows_(memory), columns_(b_.At(memory, Bytes(kSum, rows))) {
  Value* zeros = b_.Operand(args, 2);
  data_zero_ = LoadElements(b_, kSum, zeros, 1);
  weight_zero_ = LoadElements(b_, kSum, b_.At(zeros, Bytes(kSum)), 1);
  if (tile.types.weight == shape.types.weight) return;
  const int shift = tile.types.weight == DType::kInt8 ? -kSignedShift : kSignedShift;
  weight_zero_ = b_.ir().CreateAdd(weight_zero_, llvm::ConstantInt::getSigned(weight_zero_->getType(), shift));
}

int64_t ByteCentres::WorkspaceBytes(int64_t columns, int64_t rows) { return Bytes(kSum, columns + rows); }

Value* ByteCentres::OfColumns(Value* sums) {
  auto& ir = b_.ir();
  const int lanes = tile_.lanes;
  Value* all = ir.CreateMul(weight_zero_, Number(weight_zero_, static_cast<uint32_t>(s_.K)));
  return ir.CreateMul(b_.Splat(data_zero_, lanes), ir.CreateSub(b_.Splat(all, lanes), sums));
}

// Several steps are added at once, because each sum waits for the one before.
void ByteCentres::EmitColumns(Value* panel, int64_t columns) {
  constexpr int kSumsAtOnce = 8;
  const int vectors = tile_.Vectors({1, columns}), together = std::max(1, kSumsAtOnce / vectors);
  const auto at = [&](int v) { return Bytes(kSum, int64_t{v} * tile_.lanes); };
  const auto add = [&](Value* step, int v, Value* sum) {
    Value* w = LoadElements(b_, kSum, b_.At(b_.At(panel, b_.Mul(step, tile_.panel_step)), at(v)), tile_.lanes);
    return AddFours(b_, tile_.types.weight, w, sum);
  };
  const auto sums_of = [&] {
    const int64_t main = s_.steps() / together * together;
    Vals sums(static_cast<size_t>(together) * static_cast<size_t>(vectors), Zero(b_, tile_.lanes));
    const auto steps = [&](int count) {
      return [&, count](Value* step, const Vals& before) {
        Vals after = before;
        for (int i = 0; i < count * vectors; ++i) {
          Nth(after, i) = add(b_.Add(step, i / vectors), i % vectors, Nth(before, i));
        }
        return after;
      };
    };
    sums = b_.Loop(0, main, together, sums, steps(together));
    return b_.Loop(main, s_.steps(), 1, sums, steps(1));
  };
  b_.If(
      b_.ir().CreateICmpNE(data_zero_, Number(data_zero_, 0)),
      [&] {
        const Vals sums = sums_of();
        for (int v = 0; v < vectors; ++v) {
          Value* sum = Nth(sums, v);
          for (int i = 1; i < together; ++i) sum = b_.ir().CreateAdd(sum, Nth(sums, i * vectors + v));
          b_.Store(OfColumns(sum), b_.At(columns_, at(v)));
        }
      },
      [&] {
        for (int v = 0; v < vectors; ++v) b_.Store(Zero(b_, tile_.lanes), b_.At(columns_, at(v)));
      });
}

// Adds the last bytes of a row, fewer than a register's, with a mask. AVX-512 has it.
Value* ByteCentres::SumOfRest(Value* x, int64_t count) {
  const int bytes = kDotGroup * b_.lanes();
  auto* type = llvm::FixedVectorType::get(b_.ir().getInt8Ty(), static_cast<unsigned>(bytes));
  std::vector<llvm::Constant*> mask;
  for (int64_t i = 0; i < bytes; ++i) mask.push_back(b_.ir().getInt1(i < count));
  Value* loaded = b_.ir().CreateMaskedLoad(type, x, llvm::Align(1), llvm::ConstantVector::get(mask),
                                           llvm::Constant::getNullValue(type));
  Value* fours = b_.ir().CreateBitCast(loaded, VectorOf(b_.i32(), b_.lanes()));
  return AddFours(b_, s_.types.data, fours, Zero(b_, b_.lanes()));
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
    const bool masked = b_.machine().broadcast == Broadcast::kMemory && lanes == b_.lanes() && end < s_.K;
    Value* first = masked ? SumOfRest(b_.At(x, end), s_.K - end) : Zero(b_, lanes);
    const Vals sums = b_.Loop(done, end, group, {first}, [&](Value* k, const Vals& sum) {
      return Vals{AddFours(b_, s_.types.data, LoadFours(b_, b_.At(x, k), lanes, s_.K), sum[0])};
    });
    if (masked) return ir.CreateAddReduce(sums[0]);
    total = ir.CreateAdd(total, lanes == 1 ? sums[0] : ir.CreateAddReduce(sums[0]));
    done = end;
  }
  return b_.Loop(done, s_.K, 1, {total}, [&](Value* k, const Vals& sum) {
    return Vals{ir.CreateAdd(sum[0], LoadConverted(b_, s_.types.data, b_.At(x, k), 1, kSum))};
  })[0];
}

Value* ByteCentres::Row(Value* row) { return b_.At(rows_, b_.Mul(row, Bytes(kSum))); }

void ByteCentres::EmitRows(Value* x, int64_t rows, int64_t first) {
  auto& ir = b_.ir();
  const auto each = [&](const std::function<Value*(Value*)>& value) {
    b_.For(0, rows, 1, [&](Value* p) { b_.Store(value(p), Row(b_.Add(p, first))); });
  };
  b_.If(
      ir.CreateICmpNE(weight_zero_, Number(weight_zero_, 0)),
      [&] {
        each([&](Value* p) {
          return ir.CreateMul(ir.CreateNeg(weight_zero_), SumOfRow(b_.At(x, b_.Mul(p, tile_.data_row))));
        });
      },
      [&] { each([&](Value*) { return Zero(b_, 1); }); });
}

Vals ByteCentres::Start(TileSize size) {
  Vals start;
  for (int64_t p = 0; p < size.rows; ++p) {
    Value* of_row = b_.Splat(LoadElements(b_, kSum, Row(b_.Index(p)), 1), tile_.lanes);
    for (int v = 0; v < tile_.Vectors(size); ++v) {
      Value* column = LoadElements(b_, kSum, b_.At(columns_, Bytes(kSum, int64_t{v} * tile_.lanes)), tile_.lanes);
      start.push_back(b_.ir().CreateAdd(of_row, column));
    }
  }
  return start;
}

}  // namespace hone
