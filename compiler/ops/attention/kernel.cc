// The loops of a work item. Brackets name the members of AttentionTiles that cut them.
//
//    at the worker's first block of a product: keys -> [panel][k][column], values -> [panel][key][column]
//    for panel of keys [score_columns], for tile of queries [rows]      scores, a row per query of the block
//    for query: largest = max f(score); weight = exp(f(score) - largest); inverse = 1 / sum
//    for panel of values [value_columns], for tile of queries [rows]    output = product * inverse
//
// Work items are blocks of queries, or single ones if a run counts its keys: then most runs have fewer queries, too.
// Successive queries make blocks.
//
// With tile registers (kernel_plan.h) the last block begins before the previous one ends, and stores only its own
// rows. Steps past the keys are zeros.
#include "compiler/ops/attention/kernel.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/math.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/ops/attention/kernel_pack.h"
#include "compiler/ops/attention/kernel_plan.h"
#include "compiler/ops/kernel.h"
#include "compiler/relay/expr.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "compiler/schedules/matmul/packed_panel.h"
#include "core/ceil_div.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kFloatBytes = AttentionWorkspace::kBytes;

class AttentionEmitter {
 public:
  AttentionEmitter(KernelBuilder& builder, const relay::Function& function, const AttentionTiles& tiles,
                   const StageArgs& args)
      : b_(builder),
        parts_(function),
        zeroes_nan_(AttentionOf(function)->zeroes_nan),
        s_(AttentionOf(function)->scores),
        v_(AttentionOf(function)->values),
        t_(tiles),
        space_(s_, v_, tiles, builder.machine()),
        args_(args),
        evaluator_(builder, function, GenericOperands(function), args),
        matrix_tiles_(builder),
        queries_(OperandOf(function, parts_.queries, s_.types.data, s_.data, 'M')),
        keys_(OperandOf(function, parts_.keys, s_.types.weight, s_.weight, 'N')),
        values_(OperandOf(function, parts_.values, v_.types.weight, v_.weight, 'N')),
        out_(OperandOf(function, static_cast<int>(function.params.size()), v_.types.output, v_.output, 'M')),
        packed_(b_.WorkerWorkspace(args)),
        rows_of_scores_(b_.At(packed_, space_.scores)),
        packer_(builder, parts_, s_, v_, t_, space_, keys_, values_, packed_, args),
        rows_here_(b_.Index(t_.block)) {}

  // Queries of a work item.
  static int64_t ItemRows(const Attention& attention, const AttentionTiles& t) {
    return attention.counts_keys && !t.matrix_tiles ? 1 : t.block;
  }

  void Emit() {
    if (!t_.matrix_tiles) return Items();
    std::array<int, MatrixTiles::kRegisters> rows{};
    rows.fill(MatrixTiles::kRows);
    matrix_tiles_.Configure(rows);
    Items();
    matrix_tiles_.Release();
  }

 private:
  void Items() {
    if (parts_.key_count >= 0 && !t_.matrix_tiles) return QueryItems();
    const int64_t blocks = CeilDiv(s_.M, t_.block);
    auto& ir = b_.ir();
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      evaluator_.Reset();
      Value* block = b_.Mod(item, blocks);
      Value* product = b_.Div(item, blocks);
      b_.If(ir.CreateOr(ir.CreateICmpEQ(block, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin)),
            [&] { packer_.Pack(product, ir.CreateICmpEQ(item, args_.begin)); });
      Block(product, b_.Mul(block, t_.block));
    });
  }

  // The queries of each product that are among the items, in blocks.
  void QueryItems() {
    Value* first = b_.Div(args_.begin, s_.M);
    b_.For(first, b_.Div(b_.Add(args_.end, s_.M - 1), s_.M), 1, [&](Value* product) {
      Value* before = b_.Mul(product, s_.M);
      Value* end = b_.Min(b_.Index(s_.M), b_.Sub(args_.end, before));
      packer_.Pack(product, b_.ir().CreateICmpEQ(product, first));
      b_.For(b_.Max(b_.Index(0), b_.Sub(args_.begin, before)), end, t_.block, [&](Value* query) {
        evaluator_.Reset();
        rows_here_ = b_.Min(b_.Index(t_.block), b_.Sub(end, query));
        Block(product, query);
      });
    });
  }

  void Block(Value* product, Value* first) {
    if (t_.matrix_tiles) return TiledBlock(product, first);
    Scores(product, first);
    Value* rows = b_.Min(rows_here_, b_.Sub(b_.Index(s_.M), first));
    b_.For(b_.Index(0), rows, 1, [&](Value* row) { Exponentials(product, first, row); });
    Products(product, first);
  }

  MatmulOperand OperandOf(const relay::Function& function, int operand, DType type, const MatmulSteps& steps,
                          char row) {
    return {b_, args_, operand, type, steps, row, LiesApart(function, static_cast<size_t>(operand))};
  }

  // Runs body for the tiles of the block whose first query is `first`; `row` counts from there. The last tile of all
  // may have fewer rows. Where a run counts its keys, it may have fewer queries as well, of which the last ones come
  // one by one.
  void ForTiles(Value* first, const std::function<void(Value* row, int64_t rows)>& body) {
    if (parts_.key_count >= 0) {
      Value* whole = b_.Sub(rows_here_, b_.Mod(rows_here_, t_.rows));
      b_.For(b_.Index(0), whole, t_.rows, [&](Value* row) { body(row, t_.rows); });
      return b_.For(whole, rows_here_, 1, [&](Value* row) { body(row, 1); });
    }
    const int64_t last = s_.M / t_.rows * t_.rows;
    Value* end = b_.Min(rows_here_, b_.Sub(b_.Index(last), first));
    b_.For(b_.Index(0), end, t_.rows, [&](Value* row) { body(row, t_.rows); });
    if (last == s_.M) return;
    Value* rest = b_.Sub(b_.Index(last), first);
    b_.If(b_.ir().CreateICmpSLT(rest, rows_here_), [&] { body(rest, s_.M - last); });
  }

  Value* ScoreRow(Value* row) { return b_.At(rows_of_scores_, b_.Mul(row, space_.score_row)); }

  void Scores(Value* product, Value* first) {
    const MatmulTile tile{s_.types,
                          s_.K,
                          t_.unroll_scores,
                          b_.lanes(),
                          queries_.row,
                          queries_.column,
                          b_.Index(t_.score_columns * kFloatBytes)};
    Value* queries = b_.At(queries_.Matrix(b_, product), b_.Mul(first, queries_.row));
    packer_.ForPanels(s_.N, packer_.keys_needed(), t_.score_columns, [&](Value* panel, int64_t width) {
      Value* w = b_.At(packed_, b_.Mul(panel, t_.score_columns * s_.steps() * kFloatBytes));
      Value* column = b_.Mul(panel, t_.score_columns * kFloatBytes);
      ForTiles(first, [&](Value* row, int64_t rows) {
        const Vals sums = tile.Sums(b_, b_.At(queries, b_.Mul(row, queries_.row)), w, {rows, width});
        StoreScores(sums, b_.At(ScoreRow(row), column), rows);
      });
    });
  }

  // Stores whole vectors, because a row of scores has room for all vectors of its last panel.
  void StoreScores(const Vals& sums, Value* to, int64_t rows) {
    const int64_t vectors = static_cast<int64_t>(sums.size()) / rows;
    for (int64_t i = 0; i < static_cast<int64_t>(sums.size()); ++i) {
      b_.Store(Nth(sums, i), b_.At(to, i / vectors * space_.score_row + i % vectors * b_.lanes() * kFloatBytes));
    }
  }

  // Exponentials as in ops/softmax/kernel.cc, but not divided by their sum.
  void Exponentials(Value* product, Value* first, Value* row) {
    Value* line = ScoreRow(row);
    const auto at = [&](const Coordinate& key) { return b_.At(line, b_.Mul(key.base, kFloatBytes)); };
    const DType stored = v_.types.data;
    Coordinates point = PointOf(product, b_.Add(first, row));
    const bool plain = parts_.softmax->args[0] == parts_.scores;
    Fold largest{FoldKind::kMaxOfNumbers, b_.f32(), [&](Value* most, const Coordinate& key, Lanes lanes) {
                   Value* score = b_.Load(at(key), lanes.count);
                   if (!plain) {
                     point.back() = key;
                     evaluator_.SetKnown(parts_.scores.get(), score);
                     score = evaluator_.Eval(parts_.softmax->args[0], point, lanes);
                     evaluator_.ClearKnown();
                     b_.Store(score, at(key));
                   }
                   return FoldPair(b_, FoldKind::kMaxOfNumbers, most, score);
                 }};
    largest.once = true;
    Value* most = FoldKeys(largest);
    Fold exponentials{FoldKind::kSum, b_.f32(), [&](Value* part, const Coordinate& key, Lanes lanes) {
                        Value* score = b_.Load(at(key), lanes.count);
                        Value* weight = EmitExpOfNegative(b_, b_.FSub(score, b_.Splat(most, lanes.count)));
                        Value* place = b_.At(line, b_.Mul(key.base, Bytes(stored)));
                        b_.Store(Converted(b_, weight, DType::kFloat32, stored), place);
                        return b_.FAdd(part, weight);
                      }};
    exponentials.once = true;
    Value* sum = FoldKeys(exponentials);
    if (zeroes_nan_) sum = ZeroNanRow(line, sum);
    Value* inverse = b_.FDiv(llvm::ConstantFP::get(sum->getType(), 1), sum);
    b_.Store(inverse, b_.At(b_.At(packed_, space_.inverse), b_.Mul(row, kFloatBytes)));
  }

  // Makes the weights of a row without a positive sum zeros, and returns 1 for it; else the sum. One NaN among a row's
  // scores makes the row's whole softmax NaN. Without any key the sum is 0.
  Value* ZeroNanRow(Value* line, Value* sum) {
    Value* zero = llvm::ConstantFP::get(sum->getType(), 0);
    Value* is_nan = b_.ir().CreateFCmpULE(sum, zero);
    b_.If(is_nan, [&] { packer_.Zero(line, space_.score_row); });
    return b_.ir().CreateSelect(is_nan, llvm::ConstantFP::get(sum->getType(), 1), sum);
  }

  Value* FoldKeys(const Fold& fold) {
    return packer_.needs_all_keys() ? FoldAlong(b_, fold, s_.N) : FoldAlongUntil(b_, fold, s_.N, packer_.keys_needed());
  }

  // A query in the softmax's coordinates: those of its product, its own, and a key to be filled in.
  Coordinates PointOf(Value* product, Value* query) {
    const Shape& shape = parts_.softmax->type->shape;
    Coordinates point(shape.size());
    for (size_t axis = shape.size() - 2; axis-- > 0; product = b_.Div(product, shape[axis])) {
      point[axis] = At(axis == 0 ? product : b_.Mod(product, shape[axis]));
    }
    point[shape.size() - 2] = At(query);
    return point;
  }

  void Products(Value* product, Value* first) {
    const bool reads = packer_.reads_values();
    const MatmulTile tile{v_.types,
                          v_.K,
                          t_.unroll_values,
                          b_.lanes(),
                          b_.Index(space_.score_row),
                          b_.Index(Bytes(v_.types.data)),
                          reads ? values_.column : b_.Index(t_.value_columns * kFloatBytes),
                          false,
                          reads ? packer_.values_depth() : packer_.depth()};
    Value* values = reads ? packer_.ValuesOf(product) : b_.At(packed_, space_.values);
    const int64_t panel_bytes = t_.value_columns * (reads ? 1 : v_.steps()) * kFloatBytes;
    Value* out = b_.At(out_.Matrix(b_, product), b_.Mul(first, out_.row));
    packer_.ForPanels(v_.N, b_.Index(v_.N), t_.value_columns, [&](Value* panel, int64_t width) {
      Value* w = b_.At(values, b_.Mul(panel, panel_bytes));
      Value* column = b_.Mul(panel, Bytes(v_.types.output, t_.value_columns));
      ForTiles(first, [&](Value* row, int64_t rows) {
        const Vals sums = tile.Sums(b_, ScoreRow(row), w, {rows, width});
        StoreQuotients(sums, row, b_.At(b_.At(out, b_.Mul(row, out_.row)), column), {rows, width});
      });
    });
  }

  void StoreQuotients(const Vals& sums, Value* row, Value* to, TileSize size) {
    const int64_t vectors = static_cast<int64_t>(sums.size()) / size.rows, lanes = b_.lanes();
    Value* inverses = b_.At(b_.At(packed_, space_.inverse), b_.Mul(row, kFloatBytes));
    for (int64_t p = 0; p < size.rows; ++p, to = b_.At(to, out_.row)) {
      Value* inverse = b_.Splat(b_.Load(b_.At(inverses, p * kFloatBytes)), b_.lanes());
      for (int64_t v = 0; v < vectors; ++v) {
        const int width = static_cast<int>(std::min(lanes, size.columns - v * lanes));
        StoreQuotient(Nth(sums, p * vectors + v), inverse, b_.At(to, Bytes(v_.types.output, v * lanes)), width);
      }
    }
  }

  void StoreQuotient(Value* sum, Value* inverse, Value* to, int width) {
    const DType type = v_.types.output;
    StoreLanes(b_, Converted(b_, b_.FMul(sum, inverse), DType::kFloat32, type), type, to, width);
  }

  // The following functions are for tile registers. `even` is where the block would begin if it did not have to end
  // with the queries.
  void TiledBlock(Value* product, Value* even) {
    Value* first = b_.Min(even, b_.Index(s_.M - t_.block));
    TiledScores(product, first);
    const int64_t weight_bytes = Bytes(v_.types.data, v_.K);
    // Without a count of keys; with one, tiles are whole.
    const int64_t rest = packer_.needs_all_keys() ? space_.value_steps * kFloatBytes - weight_bytes : 0;
    b_.For(0, t_.block, 1, [&](Value* row) {
      Exponentials(product, first, row);
      packer_.Zero(b_.At(ScoreRow(row), weight_bytes), rest);
    });
    TiledProducts(product, first, b_.Sub(even, first));
  }

  static constexpr int kAcross = 2;  // tiles along a panel's columns

  // Sums of the rows from `x` on, which are `x_row` bytes apart, with a panel at `w` of `steps`. They are left in the
  // first registers, one tile of rows after the other.
  void TileSums(Value* x, Value* x_row, Value* w, Value* steps, int64_t panel_row) {
    const int down = static_cast<int>(t_.rows / MatrixTiles::kRows), sums = down * kAcross;
    for (int i = 0; i < sums; ++i) matrix_tiles_.Zero(i);
    b_.For(b_.Index(0), b_.Div(steps, MatrixTiles::kRows), 1, [&](Value* step) {
      Value* ws = b_.At(w, b_.Mul(step, MatrixTiles::kRows * panel_row));
      for (int v = 0; v < kAcross; ++v) {
        matrix_tiles_.Load(sums + v, b_.At(ws, v * MatrixTiles::kRowBytes), panel_row);
      }
      for (int p = 0; p < down; ++p) {
        Value* rows = b_.At(x, b_.Add(b_.Mul(x_row, p * MatrixTiles::kRows), b_.Mul(step, MatrixTiles::kRowBytes)));
        matrix_tiles_.LoadRows(sums + kAcross + p, rows, x_row);
        for (int v = 0; v < kAcross; ++v) {
          matrix_tiles_.MultiplyAdd(DType::kBFloat16, DType::kBFloat16, p * kAcross + v, sums + kAcross + p, sums + v);
        }
      }
    });
  }

  void StoreTiles(Value* to, int64_t row_bytes) {
    for (int i = 0; i < static_cast<int>(t_.rows / MatrixTiles::kRows) * kAcross; ++i) {
      matrix_tiles_.Store(
          i, b_.At(to, i / kAcross * MatrixTiles::kRows * row_bytes + i % kAcross * MatrixTiles::kRowBytes), row_bytes);
    }
  }

  void TiledScores(Value* product, Value* first) {
    Value* queries = b_.At(queries_.Matrix(b_, product), b_.Mul(first, queries_.row));
    const int64_t panel_row = t_.score_columns * kFloatBytes;
    b_.For(b_.Index(0), b_.Div(b_.Add(packer_.keys_needed(), t_.score_columns - 1), t_.score_columns), 1,
           [&](Value* panel) {
             Value* w = b_.At(packed_, b_.Mul(panel, panel_row * s_.steps()));
             b_.For(0, t_.block, t_.rows, [&](Value* row) {
               TileSums(b_.At(queries, b_.Mul(row, queries_.row)), queries_.row, w, b_.Index(s_.steps()), panel_row);
               StoreTiles(b_.At(ScoreRow(row), b_.Mul(panel, panel_row)), space_.score_row);
             });
           });
  }

  // Stores the rows from `own` on; the previous block has stored those before.
  void TiledProducts(Value* product, Value* first, Value* own) {
    Value* out = b_.At(out_.Matrix(b_, product), b_.Mul(first, out_.row));
    const int64_t steps = space_.value_steps, panel_row = t_.value_columns * kFloatBytes;
    Value* sums = b_.At(packed_, space_.sums);
    Value* steps_needed = packer_.needs_all_keys() ? b_.Index(steps) : b_.Div(packer_.keys_needed(), kBFloatGroup);
    packer_.ForPanels(v_.N, b_.Index(v_.N), t_.value_columns, [&](Value* panel, int64_t width) {
      Value* w = b_.At(packed_, b_.Add(b_.Mul(panel, panel_row * steps), space_.values));
      Value* column = b_.Mul(panel, Bytes(v_.types.output, t_.value_columns));
      b_.For(0, t_.block, t_.rows, [&](Value* row) {
        TileSums(ScoreRow(row), b_.Index(space_.score_row), w, steps_needed, panel_row);
        StoreTiles(sums, panel_row);
        b_.For(b_.Max(b_.Index(0), b_.Sub(own, row)), b_.Index(t_.rows), 1, [&](Value* r) {
          Value* y = b_.At(b_.At(out, b_.Mul(b_.Add(row, r), out_.row)), column);
          StoreTiledRow(b_.Add(row, r), b_.At(sums, b_.Mul(r, panel_row)), y, width);
        });
      });
    });
  }

  void StoreTiledRow(Value* row, Value* sums, Value* to, int64_t columns) {
    const int64_t lanes = b_.lanes();
    Value* inverses = b_.At(b_.At(packed_, space_.inverse), b_.Mul(row, kFloatBytes));
    Value* inverse = b_.Splat(b_.Load(inverses), b_.lanes());
    for (int64_t at = 0; at < columns; at += lanes) {
      Value* sum = LoadElements(b_, DType::kFloat32, b_.At(sums, at * kFloatBytes), b_.lanes());
      StoreQuotient(sum, inverse, b_.At(to, Bytes(v_.types.output, at)),
                    static_cast<int>(std::min(lanes, columns - at)));
    }
  }

  KernelBuilder& b_;
  const AttentionParts parts_;
  const bool zeroes_nan_;
  const MatmulShape s_, v_;
  const AttentionTiles& t_;
  const AttentionWorkspace space_;
  const StageArgs& args_;
  Evaluator evaluator_;
  MatrixTiles matrix_tiles_;
  const MatmulOperand queries_, keys_, values_, out_;
  Value* packed_;
  Value* rows_of_scores_;
  KeyPacker packer_;
  Value* rows_here_;  // queries of the present block, or more at the end of all queries if no keys are counted
};

}  // namespace

const Attention* AttentionOf(const relay::Function& function) { return relay::NoteOf<Attention>(function); }

relay::Attrs Attention::Printed() const {
  relay::Attrs attrs{{"attention", scores.ToText()}};
  if (counts_keys) attrs.Set("counts_keys", int64_t{1});
  if (zeroes_nan) attrs.Set("zeroes_nan", int64_t{1});
  return attrs;
}

EmittedKernel EmitAttention(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const Attention& attention = *AttentionOf(function);
  const AttentionTiles tiles = AttentionTilesFor(attention.scores, attention.values, builder.machine());
  const MatmulShape scores(attention.scores), values(attention.values);
  builder.Stage(symbol, [&](const StageArgs& args) { AttentionEmitter(builder, function, tiles, args).Emit(); });
  const int64_t rows = AttentionEmitter::ItemRows(attention, tiles), blocks = CeilDiv(scores.M, rows);
  const int64_t workspace = AttentionWorkspace(scores, values, tiles, builder.machine()).end;
  return {{{symbol, scores.B * blocks, CeilDiv(tiles.block, rows), workspace}},
          0,
          {{0, 0, {{scores.B, 0}, {blocks, 1, 1, rows}}}}};
}

}  // namespace hone
