// The loop nest. In brackets: the knob that cuts a loop.
//
//   for product of the batch, for panel of output columns [oc_block], for tile of rows [tile_m]    the work items
//     pack=1, where the worker meets the panel first: weights -> workspace
//     prefetch=1: every line of the output tile
//     acc = 0
//     for k of K [unroll_ic]
//       acc[p][v] += x(p) * w(v)
//     store
//
// One register tile, here of tile_m=3 rows and an oc_block of two vectors. A box is a register of `lanes` columns:
//
//                            w(0)        w(1)        pack=1: packed[k], oc_block neighbours; pack=0: weight[k]
//   x(0): data[row    ][k]   acc[0][0]   acc[0][1]
//   x(1): data[row + 1][k]   acc[1][0]   acc[1][1]
//   x(2): data[row + 2][k]   acc[2][0]   acc[2][1]
//
// How a panel is packed, [k][column] of the workspace:
//
//   columns are neighbours (BKN ...): PackRows       the reduction's steps are (BNK ...): PackTransposed
//
//     weight            packed                         weight               packed
//     k0  n0 n1 n2 n3   n0 n1 n2 n3                    n0  k0 k1 k2 k3      k0  n0 n1 n2 n3
//     k1  n0 n1 n2 n3   n0 n1 n2 n3                    n1  k0 k1 k2 k3  ->  k1  n0 n1 n2 n3   squares of lanes x lanes,
//         (far apart)   (right behind)                 n2  k0 k1 k2 k3      k2  n0 n1 n2 n3   turned in registers
//                                                      n3  k0 k1 k2 k3      k3  n0 n1 n2 n3
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/register_transpose.h"
#include "compiler/schedules/batch_matmul.h"
#include "compiler/schedules/conv_shape.h"
#include "compiler/schedules/matmul_shape.h"
#include "compiler/schedules/register_tile.h"
#include "core/nth.h"

namespace hone {
namespace {

// An operand's address and steps, in bytes.
struct Matrices {
  Value *base, *batch, *row, *column;

  Matrices(KernelBuilder& b, const StageArgs& args, int operand, DType type, const MatmulSteps& steps, char row_axis) {
    base = b.Operand(args, operand);
    const auto bytes = [&](int64_t elements, bool first) {
      return first && elements != 0 ? b.BatchStride(args, operand) : b.Index(Bytes(type, elements));
    };
    batch = bytes(steps.batch, steps.first == 'B');
    row = bytes(steps.row, steps.first == row_axis);
    column = bytes(steps.column, steps.first != 'B' && steps.first != row_axis);
  }
};

class BatchMatmulEmitter {
 public:
  BatchMatmulEmitter(KernelBuilder& builder, const MatmulShape& shape, const BatchMatmulKnobs& knobs,
                     const StageArgs& args)
      : b_(builder),
        s_(shape),
        k_(knobs),
        args_(args),
        lanes_(static_cast<int>(std::min<int64_t>(builder.lanes(), knobs.oc_block))),
        types_(shape.types),
        dot_(shape.dot()),
        step_(types_.bfloat() ? DType::kInt32 : types_.weight),
        packed_row_(Bytes(step_, knobs.oc_block)),
        data_(builder, args, 0, types_.data, shape.data, 'M'),
        weight_(builder, args, 1, types_.weight, shape.weight, 'N'),
        out_(builder, args, 2, types_.output, shape.output, 'M') {
    if (k_.pack != 0) packed_ = b_.WorkerWorkspace(args);
  }

  void Emit() {
    const int64_t row_tiles = CeilDiv(s_.M, k_.tile_m), panels = CeilDiv(s_.N, k_.oc_block);
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value* tile = b_.Mod(item, row_tiles);
      Value* panel = b_.Mod(b_.Div(item, row_tiles), panels);
      Value* product = b_.Div(item, row_tiles * panels);
      const int64_t last = s_.N - (panels - 1) * k_.oc_block;
      if (last == k_.oc_block) return Panel(item, product, panel, tile, last);
      b_.If(
          b_.ir().CreateICmpEQ(panel, b_.Index(panels - 1)), [&] { Panel(item, product, panel, tile, last); },
          [&] { Panel(item, product, panel, tile, k_.oc_block); });
    });
  }

 private:
  // What a worker packs serves all row tiles that it does in turn.
  void Panel(Value* item, Value* product, Value* panel, Value* tile, int64_t columns) {
    Value* first_column = b_.Mul(panel, k_.oc_block);
    Value* w = b_.At(b_.At(weight_.base, b_.Mul(product, weight_.batch)), b_.Mul(first_column, weight_.row));
    if (k_.pack != 0) {
      auto& ir = b_.ir();
      Value* is_new = ir.CreateOr(ir.CreateICmpEQ(tile, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin));
      b_.If(is_new, [&] {
        if (!s_.weights_are_neighbours()) return PackTransposed(w, columns);
        types_.bfloat() ? PackPairsOfRows(w, columns) : PackRows(w, columns);
      });
    }
    const int64_t row_tiles = CeilDiv(s_.M, k_.tile_m), last = s_.M - (row_tiles - 1) * k_.tile_m;
    const auto rows = [&](int64_t count) { Tile(product, first_column, tile, w, {count, columns}); };
    if (last == k_.tile_m) return rows(last);
    b_.If(b_.ir().CreateICmpEQ(tile, b_.Index(row_tiles - 1)), [&] { rows(last); }, [&] { rows(k_.tile_m); });
  }

  // Lanes past the columns are never stored, so nothing is written there.
  void PackRows(Value* w, int64_t columns) {
    b_.For(0, s_.K, 1, [&](Value* k) {
      Value* from = b_.At(w, b_.Mul(k, weight_.column));
      Value* to = b_.At(packed_, b_.Mul(k, packed_row_));
      for (int64_t column = 0; column < columns;) {
        const int width = column + lanes_ <= columns ? lanes_ : 1;
        const int64_t at = Bytes(types_.weight, column);
        b_.Store(LoadElements(b_, types_.weight, b_.At(from, at), width), b_.At(to, at));
        column += width;
      }
    });
  }

  void PackPairsOfRows(Value* w, int64_t columns) {
    b_.For(0, s_.steps(), 1, [&](Value* step) {
      Value* from = b_.At(w, b_.Mul(b_.Mul(step, dot_), weight_.column));
      Value* to = b_.At(packed_, b_.Mul(step, packed_row_));
      for (int64_t column = 0; column < columns;) {
        const int width = column + lanes_ <= columns ? lanes_ : 1;
        Value* at = b_.At(from, Bytes(types_.weight, column));
        Value* first = LoadElements(b_, types_.weight, at, width);
        Value* second = LoadElements(b_, types_.weight, b_.At(at, weight_.column), width);
        b_.Store(Paired(first, second, width), b_.At(to, Bytes(step_, column)));
        column += width;
      }
    });
  }

  // Lane by lane one of the first, then one of the second, as elements of twice the bits.
  Value* Paired(Value* first, Value* second, int width) {
    auto& ir = b_.ir();
    llvm::Type* wide = VectorOf(ElementType(b_, step_), width);
    const auto bits = [&](Value* value) {
      return ir.CreateZExt(ir.CreateBitCast(value, VectorOf(ir.getInt16Ty(), width)), wide);
    };
    return ir.CreateOr(bits(first), ir.CreateShl(bits(second), 16));
  }

  void PackTransposed(Value* w, int64_t columns) {
    b_.For(0, columns / lanes_, 1, [&](Value* v) {
      Value* from = b_.At(w, b_.Mul(b_.Mul(v, lanes_), weight_.row));
      PackVector(from, b_.At(packed_, b_.Mul(v, Bytes(step_, lanes_))), lanes_);
    });
    const int64_t rest = columns % lanes_, first = columns - rest;
    if (rest == 0) return;
    PackVector(b_.At(w, b_.Mul(weight_.row, first)), b_.At(packed_, Bytes(step_, first)), static_cast<int>(rest));
  }

  // `columns` rows of weights, at most as many as lanes, become one vector per step of the reduction.
  void PackVector(Value* from, Value* to, int columns) {
    const int64_t steps = s_.steps(), main = steps - steps % lanes_, element = Bytes(step_);
    Value* zeros = llvm::Constant::getNullValue(VectorOf(ElementType(b_, step_), lanes_));
    b_.For(0, main, lanes_, [&](Value* k) {
      Vals rows(static_cast<size_t>(lanes_), zeros);
      Value* row = b_.At(from, b_.Mul(k, element));
      for (int r = 0; r < columns; ++r, row = b_.At(row, weight_.row)) {
        Nth(rows, r) = LoadElements(b_, step_, row, lanes_);
      }
      const Vals turned = TransposeInRegisters(b_, rows);
      Value* out = b_.At(to, b_.Mul(k, packed_row_));
      for (int i = 0; i < lanes_; ++i) b_.Store(Nth(turned, i), b_.At(out, i * packed_row_));
    });
    b_.For(main, steps, 1, [&](Value* k) {
      Value* row = b_.At(from, b_.Mul(k, element));
      Value* out = b_.At(to, b_.Mul(k, packed_row_));
      for (int r = 0; r < columns; ++r, row = b_.At(row, weight_.row)) {
        b_.Store(LoadElements(b_, step_, row, 1), b_.At(out, r * element));
      }
    });
  }

  struct TileSize {
    int64_t rows, columns;
  };
  void Tile(Value* product, Value* first_column, Value* tile, Value* w, TileSize size) {
    const RegisterTile registers{static_cast<int>(size.rows), static_cast<int>(CeilDiv(size.columns, lanes_)), lanes_,
                                 PartsOf(types_, b_.machine())};
    Value* first_row = b_.Mul(tile, k_.tile_m);
    Value* x = b_.At(b_.At(data_.base, b_.Mul(product, data_.batch)), b_.Mul(first_row, data_.row));
    Value* y = b_.At(b_.At(out_.base, b_.Mul(product, out_.batch)), b_.Mul(first_row, out_.row));
    y = b_.At(y, b_.Mul(first_column, Bytes(types_.output)));
    if (k_.prefetch != 0) FetchOutput(y, size);
    Value* panel = packed_ ? packed_ : w;
    const int64_t steps = s_.steps(), main = steps - steps % k_.unroll_ic;
    Vals acc = Reduce(registers, x, panel, {0, main, k_.unroll_ic}, registers.Zeros(b_, types_.accumulator));
    acc = Reduce(registers, x, panel, {main, steps, 1}, acc);
    for (int p = 0; p < registers.pixels; ++p, y = b_.At(y, out_.row)) {
      for (int v = 0; v < registers.vectors; ++v) {
        const int width = static_cast<int>(std::min<int64_t>(lanes_, size.columns - int64_t{v} * lanes_));
        Value* sum = Nth(acc, p * registers.vectors + v);
        StoreVector(sum, b_.At(y, Bytes(types_.output, int64_t{v} * lanes_)), width);
      }
    }
  }

  // Neighbouring rows of a wide output are pages apart: no hardware sees them come.
  void FetchOutput(Value* y, TileSize size) {
    for (int64_t p = 0; p < size.rows; ++p, y = b_.At(y, out_.row)) {
      const int64_t bytes = Bytes(types_.output, size.columns);
      for (int64_t byte = 0; byte < bytes; byte += b_.machine().line_bytes) b_.Prefetch(b_.At(y, byte));
    }
  }

  struct Steps {
    int64_t lo, hi, unroll;
  };
  Vals Reduce(const RegisterTile& registers, Value* x, Value* w, Steps steps, const Vals& start) {
    Value* apart = packed_ ? b_.Index(packed_row_) : weight_.column;
    Value* x_apart = b_.Mul(data_.column, dot_);
    return b_.Loop(steps.lo, steps.hi, steps.unroll, start, [&](Value* k, const Vals& in) {
      Vals acc = in;
      Vals rows{b_.At(x, b_.Mul(k, x_apart))};
      for (int p = 1; p < registers.pixels; ++p) rows.push_back(b_.At(rows.back(), data_.row));
      Value* ws = b_.At(w, b_.Mul(k, apart));
      for (int64_t u = 0; u < steps.unroll; ++u) {
        registers.Step(
            b_, acc, [&](int p) { return LoadStep(types_.data, b_.At(Nth(rows, p), b_.Mul(x_apart, u)), 1); },
            [&](int v) {
              Value* step = b_.At(ws, b_.Mul(apart, u));
              return LoadStep(types_.weight, b_.At(step, Bytes(step_, int64_t{v} * lanes_)), lanes_);
            },
            types_.bfloat() ? BFloatMultiplyAdd : FloatMultiplyAdd);
      }
      return acc;
    });
  }

  // A tail is written lane by lane so that nothing past the row is touched.
  void StoreVector(Value* acc, Value* y, int width) {
    Value* done = Converted(b_, acc, types_.accumulator, types_.output);
    if (width == lanes_) return b_.Store(done, y);
    for (int lane = 0; lane < width; ++lane) {
      b_.Store(b_.ir().CreateExtractElement(done, static_cast<uint64_t>(lane)), b_.At(y, Bytes(types_.output, lane)));
    }
  }

  Value* LoadStep(DType stored, Value* ptr, int lanes) {
    if (types_.bfloat()) return LoadElements(b_, step_, ptr, lanes);
    return LoadConverted(b_, stored, ptr, lanes, types_.accumulator);
  }

  KernelBuilder& b_;
  const MatmulShape& s_;
  const BatchMatmulKnobs& k_;
  const StageArgs& args_;
  int lanes_;
  const ElementTypes& types_;
  int dot_;             // neighbours along K in a step of the sum
  DType step_;          // what a column's weights of one step are as one element
  int64_t packed_row_;  // bytes from one step of the workspace to the next
  Matrices data_, weight_, out_;
  Value* packed_ = nullptr;
};

}  // namespace

void EmitBatchMatmul(KernelBuilder& builder, const Workload& workload, const BatchMatmulKnobs& knobs,
                     const std::string& symbol) {
  const MatmulShape shape(workload);
  builder.Stage(symbol, [&](const StageArgs& args) { BatchMatmulEmitter(builder, shape, knobs, args).Emit(); });
}

}  // namespace hone
