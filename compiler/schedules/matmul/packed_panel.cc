// The packing of a panel as [k][column] in the workspace:
//
//   columns are neighbours (BKN ...): Rows           the reduction's steps are (BNK ...): Transposed
//
//     weight            packed                         weight               packed
//     k0  n0 n1 n2 n3   n0 n1 n2 n3                    n0  k0 k1 k2 k3      k0  n0 n1 n2 n3
//     k1  n0 n1 n2 n3   n0 n1 n2 n3                    n1  k0 k1 k2 k3  ->  k1  n0 n1 n2 n3   squares of lanes x lanes,
//         (far apart)   (right behind)                 n2  k0 k1 k2 k3      k2  n0 n1 n2 n3   turned in registers
//                                                      n3  k0 k1 k2 k3      k3  n0 n1 n2 n3
#include "compiler/schedules/matmul/packed_panel.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/across_lanes.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "compiler/schedules/parts/register_tile.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int kLeastLanes = 4;  // of vectors that LoadJoinedFours makes

class Packer {
 public:
  Packer(KernelBuilder& builder, const PanelPacking& panel)
      : b_(builder), p_(panel), dot_(DotGroup(panel.types)), step_(StepType(panel.types)) {}

  void Emit(Value* from, Value* to, int64_t columns) {
    if (!p_.neighbours) return Transposed(from, to, columns);
    dot_ > 1 ? GroupsOfRows(from, to, columns) : Rows(from, to, columns);
  }

 private:
  // Full steps only.
  int64_t steps() const { return p_.K / dot_; }
  int rest() const { return p_.depth != nullptr ? 0 : static_cast<int>(p_.K % dot_); }
  Value* StepsHere() { return p_.depth != nullptr ? b_.Div(p_.depth, dot_) : b_.Index(steps()); }

  Value* Signed(Value* step, int count = kDotGroup) { return p_.flips ? FlippedSigns(b_, step, count) : step; }

  // Loads steps along K of one row.
  Value* LoadSteps(Value* row, int lanes) {
    return p_.types.whole() ? Signed(LoadFours(b_, row, lanes, p_.K)) : LoadElements(b_, step_, row, lanes);
  }

  void Rows(Value* w, Value* packed, int64_t columns) {
    b_.For(b_.Index(0), p_.depth != nullptr ? p_.depth : b_.Index(p_.K), 1, [&](Value* k) {
      Value* from = b_.At(w, b_.Mul(k, p_.step));
      Value* to = b_.At(packed, b_.Mul(k, p_.row_bytes));
      for (int64_t column = 0; column < columns;) {
        const int width = column + p_.lanes <= columns ? p_.lanes : 1;
        const int64_t at = Bytes(p_.types.weight, column);
        b_.Store(LoadElements(b_, p_.types.weight, b_.At(from, at), width), b_.At(to, at));
        column += width;
      }
    });
  }

  // Packs neighbouring columns if a step takes `dot_` neighbours along K, here four bytes:
  //
  //   weight             packed
  //   k0  n0 n1 n2 n3
  //   k1  n0 n1 n2 n3    step 0 | n0: k0 k1 k2 k3 | n1: k0 k1 k2 k3 | n2: .. | n3: .. |    an int32 per column
  //   k2  n0 n1 n2 n3
  //   k3  n0 n1 n2 n3
  void GroupsOfRows(Value* w, Value* packed, int64_t columns) {
    const auto group = [&](Value* step, int rows) {
      Value* from = b_.At(w, b_.Mul(b_.Mul(step, dot_), p_.step));
      Value* to = b_.At(packed, b_.Mul(step, p_.row_bytes));
      int64_t column = 0;
      for (int lanes = p_.lanes; dot_ == kDotGroup && lanes >= kLeastLanes; lanes /= 2) {
        for (; column + 4 * lanes <= columns; column += 4 * lanes) JoinedColumns(from, to, column, rows, lanes);
      }
      while (column < columns) {
        const int width = std::min(p_.lanes, static_cast<int>(std::bit_floor(static_cast<uint64_t>(columns - column))));
        Value* at = b_.At(from, Bytes(p_.types.weight, column));
        b_.Store(Signed(LoadJoinedRows(b_, p_.types, at, p_.step, rows, width), rows), b_.At(to, Bytes(step_, column)));
        column += width;
      }
    };
    b_.For(b_.Index(0), StepsHere(), 1, [&](Value* step) { group(step, dot_); });
    if (rest() > 0) group(b_.Index(steps()), rest());
  }

  void JoinedColumns(Value* from, Value* to, int64_t column, int rows, int lanes) {
    const Vals joined = LoadJoinedFours(b_, b_.At(from, column), p_.step, rows, lanes);
    const Vals ordered = InColumnOrder(b_, joined);
    for (size_t i = 0; i < ordered.size(); ++i) {
      b_.Store(Signed(ordered[i], rows), b_.At(to, Bytes(step_, column + static_cast<int64_t>(i) * lanes)));
    }
  }

  void Transposed(Value* w, Value* packed, int64_t columns) {
    b_.For(0, columns / p_.lanes, 1, [&](Value* v) {
      Value* from = b_.At(w, b_.Mul(b_.Mul(v, p_.lanes), p_.row));
      TransposedVector(from, b_.At(packed, b_.Mul(v, Bytes(step_, p_.lanes))), p_.lanes);
    });
    const int64_t rest = columns % p_.lanes, first = columns - rest;
    if (rest == 0) return;
    TransposedVector(b_.At(w, b_.Mul(p_.row, first)), b_.At(packed, Bytes(step_, first)), static_cast<int>(rest));
  }

  // Turns `columns` rows of weights, at most as many as lanes, into one vector per step of the reduction.
  void TransposedVector(Value* from, Value* to, int columns) {
    const int64_t element = Bytes(step_);
    Value *here = StepsHere(), *main = b_.Sub(here, b_.Mod(here, p_.lanes));
    Value* zeros = llvm::Constant::getNullValue(VectorOf(ElementType(b_, step_), p_.lanes));
    b_.For(b_.Index(0), main, p_.lanes, [&](Value* k) {
      Vals rows(static_cast<size_t>(p_.lanes), zeros);
      Value* row = b_.At(from, b_.Mul(k, element));
      for (int r = 0; r < columns; ++r, row = b_.At(row, p_.row)) {
        Nth(rows, r) = LoadSteps(row, p_.lanes);
      }
      const Vals turned = TransposeInRegisters(b_, rows);
      Value* out = b_.At(to, b_.Mul(k, p_.row_bytes));
      for (int i = 0; i < p_.lanes; ++i) b_.Store(Nth(turned, i), b_.At(out, i * p_.row_bytes));
    });
    b_.For(main, here, 1, [&](Value* k) {
      Value* row = b_.At(from, b_.Mul(k, element));
      Value* out = b_.At(to, b_.Mul(k, p_.row_bytes));
      for (int r = 0; r < columns; ++r, row = b_.At(row, p_.row)) {
        b_.Store(LoadSteps(row, 1), b_.At(out, r * element));
      }
    });
    if (rest() == 0) return;
    Value *row = b_.At(from, steps() * element), *out = b_.At(to, steps() * p_.row_bytes);
    for (int r = 0; r < columns; ++r, row = b_.At(row, p_.row)) {
      b_.Store(Signed(LoadBytesOfStep(b_, row, rest()), rest()), b_.At(out, r * element));
    }
  }

  KernelBuilder& b_;
  const PanelPacking& p_;
  const int dot_;     // neighbours along K in one step of the sum
  const DType step_;  // type of a column's weights of one step, taken as one element
};

}  // namespace

Value* LoadJoinedRows(KernelBuilder& b, const ElementTypes& types, Value* at, Value* step, int rows, int lanes) {
  auto& ir = b.ir();
  const int group = DotGroup(types);
  auto* row_type = llvm::FixedVectorType::get(ElementType(b, types.weight), static_cast<unsigned>(lanes));
  Vals loaded(static_cast<size_t>(group), llvm::Constant::getNullValue(row_type));
  for (int row = 0; row < rows; ++row, at = b.At(at, step)) {
    Nth(loaded, row) = ir.CreateBitCast(LoadElements(b, types.weight, at, lanes), row_type);
  }
  while (loaded.size() > 1) {
    std::vector<int> both(static_cast<size_t>(2 * LaneCount(loaded[0])));
    std::iota(both.begin(), both.end(), 0);
    Vals joined;
    for (size_t i = 0; i < loaded.size(); i += 2) {
      joined.push_back(ir.CreateShuffleVector(loaded[i], loaded[i + 1], llvm::ArrayRef<int>(both)));
    }
    loaded = std::move(joined);
  }
  std::vector<int> order;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int row = 0; row < group; ++row) order.push_back(row * lanes + lane);
  }
  Value* all = ir.CreateShuffleVector(loaded[0], llvm::ArrayRef<int>(order));
  return ir.CreateBitCast(all, VectorOf(ElementType(b, StepType(types)), lanes));
}

Vals LoadJoinedFours(KernelBuilder& b, Value* at, Value* step, int rows, int lanes) {
  auto* row_type = llvm::FixedVectorType::get(b.ir().getInt8Ty(), static_cast<unsigned>(kDotGroup * lanes));
  Vals loaded(kDotGroup, llvm::Constant::getNullValue(row_type));
  for (int row = 0; row < rows; ++row, at = b.At(at, step)) {
    Nth(loaded, row) = LoadElements(b, DType::kUInt8, at, kDotGroup * lanes);
  }
  return JoinedFours(b, loaded);
}

Value* FlippedSigns(KernelBuilder& b, Value* fours, int count) {
  const uint32_t bits = count == kDotGroup ? 0x80808080U : 0x80808080U & ((1U << (8 * count)) - 1);
  return b.ir().CreateXor(fours, llvm::ConstantInt::get(fours->getType(), bits));
}

DType StepType(const ElementTypes& types) { return DotGroup(types) > 1 ? DType::kInt32 : types.weight; }

void PanelPacking::Emit(KernelBuilder& b, Value* from, Value* to, int64_t columns) const {
  Packer(b, *this).Emit(from, to, columns);
}

}  // namespace hone
