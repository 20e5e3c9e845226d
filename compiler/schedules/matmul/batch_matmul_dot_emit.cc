// The loop nest. The knob that cuts a loop is in brackets.
//
//   for product of the batch, for group of the many rows      the work items
//     for tile of the many rows [oc_block]
//       for tile of the few rows [tile_m]
//         acc = 0; for each vector along K: acc[p][r] += x(p) * w(r)
//         sums of lanes, store
//
// One register tile, here of tile_m=2 and oc_block=4. A box is a register of `lanes` neighbours along K:
//
//                      w(0)        w(1)        w(2)        w(3)         rows of the matrix of many
//   x(0): few row 0    acc[0][0]   acc[0][1]   acc[0][2]   acc[0][3]
//   x(1): few row 1    acc[1][0]   acc[1][1]   acc[1][2]   acc[1][3]
//                                   LaneSums of each line: four outputs
//
// The remainder of K is the end of a last full vector, whose other lanes are zeros in both operands:
//
//   K = 11 and 4 lanes    k0 k1 k2 k3 | k4 k5 k6 k7 |              two full vectors
//                                                 0 k8 k9 k10 |    the last one begins at k7, which is zeroed
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/across_lanes.h"
#include "compiler/schedules/matmul/batch_matmul_dot.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "core/nth.h"

namespace hone {
namespace {

class DotMatmulEmitter {
 public:
  DotMatmulEmitter(KernelBuilder& builder, const DotMatmulShape& shape, const BatchMatmulDotKnobs& knobs,
                   const StageArgs& args)
      : b_(builder),
        s_(shape),
        k_(knobs),
        args_(args),
        lanes_(builder.lanes()),
        data_(builder, args, 0, DType::kFloat32, shape.product.data, 'M'),
        weight_(builder, args, 1, DType::kFloat32, shape.product.weight, 'N'),
        out_(builder, args, 2, DType::kFloat32, shape.product.output, 'M'),
        few_(shape.swapped ? weight_ : data_),
        many_(shape.swapped ? data_ : weight_),
        few_out_(shape.swapped ? out_.column : out_.row),
        many_out_(shape.swapped ? out_.row : out_.column) {}

  void Emit() {
    const int64_t whole = s_.many / k_.oc_block * k_.oc_block;
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value* group = b_.Mod(item, s_.groups());
      Value* product = b_.Div(item, s_.groups());
      x_ = few_.Matrix(b_, product);
      w_ = many_.Matrix(b_, product);
      y_ = out_.Matrix(b_, product);
      Value* first = b_.Mul(group, s_.group);
      b_.For(first, b_.Min(b_.Add(first, s_.group), b_.Index(whole)), k_.oc_block,
             [&](Value* row) { Rows(row, k_.oc_block); });
      if (whole == s_.many) return;
      b_.If(b_.ir().CreateICmpEQ(group, b_.Index(s_.groups() - 1)), [&] { Rest(whole); });
    });
  }

 private:
  struct Tile {
    Value* few;
    Value* many;
    int64_t few_rows, many_rows;
  };

  // LaneSums takes a power of two of rows, so the remaining rows are cut into powers of two.
  void Rest(int64_t row) {
    for (int64_t rows = k_.oc_block / 2; rows > 0; rows /= 2) {
      if (((s_.many - row) & rows) == 0) continue;
      Rows(b_.Index(row), rows);
      row += rows;
    }
  }

  void Rows(Value* row, int64_t rows) {
    const int64_t whole = s_.few / k_.tile_m * k_.tile_m;
    b_.For(0, whole, k_.tile_m, [&](Value* few) { Emit({few, row, k_.tile_m, rows}); });
    if (whole < s_.few) Emit({b_.Index(whole), row, s_.few - whole, rows});
  }

  void Emit(const Tile& t) {
    Value* x = b_.At(x_, b_.Mul(t.few, few_.row));
    Value* w = b_.At(w_, b_.Mul(t.many, many_.row));
    const int64_t K = s_.product.K, main = K / lanes_ * lanes_;
    Vals acc(static_cast<size_t>(t.few_rows * t.many_rows), b_.FloatVec(0, lanes_));
    acc = b_.Loop(0, main, lanes_, acc, [&](Value* k, const Vals& sums) {
      Value* offset = b_.Mul(k, Bytes(DType::kFloat32));
      return Step(t, b_.At(x, offset), b_.At(w, offset), 0, sums);
    });
    if (main < K) {
      const int64_t offset = Bytes(DType::kFloat32, K - lanes_);
      acc = Step(t, b_.At(x, offset), b_.At(w, offset), lanes_ - static_cast<int>(K - main), acc);
    }
    for (int64_t p = 0; p < t.few_rows; ++p) {
      const auto line = acc.begin() + p * t.many_rows;
      Value* y = b_.At(y_, b_.Mul(b_.Add(t.few, p), few_out_));
      Store(LaneSums(b_, {line, line + t.many_rows}), b_.At(y, b_.Mul(t.many, many_out_)), t.many_rows);
    }
  }

  // Adds one vector along K; the first `skipped` lanes were added before, so they count as zeros.
  Vals Step(const Tile& t, Value* x, Value* w, int skipped, Vals acc) {
    Vals rows;
    for (int64_t p = 0; p < t.few_rows; ++p) rows.push_back(Read(b_.At(x, b_.Mul(few_.row, p)), skipped));
    for (int64_t r = 0; r < t.many_rows; ++r) {
      Value* many = Read(b_.At(w, b_.Mul(many_.row, r)), skipped);
      for (int64_t p = 0; p < t.few_rows; ++p) {
        Value*& sum = Nth(acc, p * t.many_rows + r);
        sum = b_.Fma(Nth(rows, p), many, sum);
      }
    }
    return acc;
  }

  Value* Read(Value* at, int skipped) {
    Value* values = b_.Load(at, lanes_);
    if (skipped == 0) return values;
    std::vector<int> mask;
    for (int l = 0; l < lanes_; ++l) mask.push_back(l < skipped ? lanes_ + l : l);
    return b_.ir().CreateShuffleVector(values, llvm::Constant::getNullValue(values->getType()), mask);
  }

  void Store(Value* sums, Value* y, int64_t count) {
    if (count == 1 || s_.many_are_neighbours) return b_.Store(sums, y);
    for (int64_t r = 0; r < count; ++r) {
      b_.Store(b_.ir().CreateExtractElement(sums, static_cast<uint64_t>(r)), b_.At(y, b_.Mul(many_out_, r)));
    }
  }

  KernelBuilder& b_;
  const DotMatmulShape& s_;
  const BatchMatmulDotKnobs& k_;
  const StageArgs& args_;
  int lanes_;
  MatmulOperand data_, weight_, out_;
  const MatmulOperand &few_, &many_;
  Value *few_out_, *many_out_;  // bytes of the output from one row to the next
  Value *x_ = nullptr, *w_ = nullptr, *y_ = nullptr;
};

}  // namespace

void EmitBatchMatmulDot(KernelBuilder& builder, const Workload& workload, const BatchMatmulDotKnobs& knobs,
                        const std::string& symbol) {
  const DotMatmulShape shape(workload);
  builder.Stage(symbol, [&](const StageArgs& args) { DotMatmulEmitter(builder, shape, knobs, args).Emit(); });
}

}  // namespace hone
