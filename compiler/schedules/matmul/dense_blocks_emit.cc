// A matrix times weights of 2, 4 or 8 bits in blocks (core/block_format.h), which stay packed until they are in
// registers. The loop nest; the knob that cuts a loop is in brackets.
//
//   for panel of output columns [oc_block], for tile of rows [tile_m]    the work items, panel * row tiles + tile
//     acc = 0
//     for block along K
//       sums = 0                                                         with late_scales, else sums = acc
//       for word of the block [unroll_ic], for integer in the word
//         sums[p][v] += x(p) * w(v)                                      each word: prefetch 4 KiB * prefetch ahead
//       acc[p][v] += sums[p][v] * scale(v)                               with late_scales, else w is scaled
//     epilogue and store
//
// Words, scales and zero points are packed NK{oc_block}n. So a vector holds one word of each of its columns, and all
// lanes shift by the same distance. Four of the eight steps that a vector of words of int4 takes:
//
//                 column 0                    column 1                    ..
//   word         | k0 k1 k2 k3 k4 k5 k6 k7 | k0 k1 k2 k3 k4 k5 k6 k7 |    k0 is in the lowest bits
//   w, step 0    | k0                      | k0                      |    shifted left by 28, then right by 28
//   w, step 1    | k1                      | k1                      |    shifted left by 24, then right by 28
//   ..
//   w, step 7    | k7                      | k7                      |    shifted right by 28
//
// A worker that has several tiles of rows may unpack the panel first (unpack_panel). It is then float32 in the worker's
// workspace, [k][column], and the tiles are those of batch_matmul.
#include "compiler/codegen/element.h"
#include "compiler/schedules/matmul/block_panels.h"
#include "compiler/schedules/matmul/dense_blocks.h"
#include "compiler/schedules/matmul/dense_rows.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int kWordBits = 32;

// Scales and zero points of one block, by vector.
struct BlockValues {
  Vals scales, zeros;
};

class DenseBlocksEmitter {
 public:
  DenseBlocksEmitter(KernelBuilder& builder, const Workload& w, const DenseBlocksKnobs& knobs, const Epilogue& epilogue,
                     const StageArgs& args)
      : b_(builder),
        M_(w.data[0]),
        K_(w.data[1]),
        N_(w.weight[0]),
        k_(knobs),
        types_(w.types),
        epilogue_(epilogue),
        args_(args),
        lanes_(knobs.LanesOn(builder.machine())),
        panels_(builder, w, args, knobs.oc_block, lanes_),
        format_(panels_.format()),
        data_(builder.Operand(args, 0)),
        data_stride_(builder.BatchStride(args, 0)),
        unpacked_(knobs.unpacks() ? builder.WorkerWorkspace(args) : nullptr),
        behind_(ReadEpilogueAddresses(builder, args, epilogue, BlockOperands(w))) {}

  void Emit() {
    const int64_t row_tiles = CeilDiv(M_, k_.tile_m), panels = CeilDiv(N_, k_.oc_block);
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value *panel = b_.Div(item, row_tiles), *tile = b_.Mod(item, row_tiles);
      const int64_t last = N_ - (panels - 1) * k_.oc_block;
      if (last == k_.oc_block) return Panel(item, panel, tile, last);
      b_.If(
          b_.ir().CreateICmpEQ(panel, b_.Index(panels - 1)), [&] { Panel(item, panel, tile, last); },
          [&] { Panel(item, panel, tile, k_.oc_block); });
    });
  }

 private:
  void Panel(Value* item, Value* panel, Value* tile, int64_t columns) {
    if (k_.unpacks()) {
      auto& ir = b_.ir();
      Value* is_new = ir.CreateOr(ir.CreateICmpEQ(tile, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin));
      b_.If(is_new, [&] { Unpack(panels_.Panel(panel), columns); });
    }
    const int64_t row_tiles = CeilDiv(M_, k_.tile_m), last = M_ - (row_tiles - 1) * k_.tile_m;
    if (last == k_.tile_m) return Tile(panel, tile, last, columns);
    b_.If(
        b_.ir().CreateICmpEQ(tile, b_.Index(row_tiles - 1)), [&] { Tile(panel, tile, last, columns); },
        [&] { Tile(panel, tile, k_.tile_m, columns); });
  }

  int Vectors(int64_t columns) const { return static_cast<int>(CeilDiv(columns, lanes_)); }

  void Tile(Value* panel, Value* tile, int64_t rows, int64_t columns) {
    const RegisterTile registers{static_cast<int>(rows), Vectors(columns), lanes_};
    Value* first_row = b_.Mul(tile, k_.tile_m);
    Value* x = b_.At(data_, b_.Mul(first_row, data_stride_));
    Vals acc = k_.unpacks() ? UnpackedSums(x, rows, columns) : PackedSums(registers, x, panels_.Panel(panel));
    StoreDenseTile(b_, epilogue_, types_, behind_, {registers, first_row, panel, k_.oc_block, columns}, acc);
  }

  Vals UnpackedSums(Value* x, int64_t rows, int64_t columns) {
    static constexpr ElementTypes kFloats;
    const MatmulTile tile{kFloats,
                          K_,
                          k_.unroll_ic,
                          lanes_,
                          data_stride_,
                          b_.Index(Bytes(DType::kFloat32)),
                          b_.Index(Bytes(DType::kFloat32, k_.oc_block))};
    return tile.Sums(b_, x, unpacked_, {rows, int64_t{Vectors(columns)} * lanes_});
  }

  Vals PackedSums(const RegisterTile& registers, Value* x, const PanelAddresses& panel) {
    const int64_t whole = K_ / format_.block, rest = K_ % format_.block;
    const auto block = [&](Value* i, const Vals& in, int64_t columns) {
      Value* xs = b_.At(x, b_.Mul(i, Bytes(DType::kFloat32, format_.block)));
      return Block(registers, xs, panels_.Block(panel, i), columns, in);
    };
    Vals acc = registers.Zeros(b_, DType::kFloat32);
    acc = b_.Loop(0, whole, 1, acc, [&](Value* i, const Vals& in) { return block(i, in, format_.block); });
    return rest == 0 ? acc : block(b_.Index(whole), acc, rest);
  }

  Vals Block(const RegisterTile& registers, Value* x, const PanelAddresses& at, int64_t columns, const Vals& in) {
    const BlockValues values = ValuesAt(at, registers.vectors);
    const int64_t words = columns / format_.per_word(), main = words - words % k_.unroll_ic;
    Vals sums = k_.scales_late() ? registers.Zeros(b_, DType::kFloat32) : in;
    const auto reduce = [&](int64_t lo, int64_t hi, int64_t unroll, int64_t integers) {
      sums = b_.Loop(lo, hi, unroll, sums, [&](Value* word, const Vals& carried) {
        Vals acc = carried;
        for (int64_t u = 0; u < unroll; ++u) Word(registers, acc, x, at, b_.Add(word, u), values, integers);
        return acc;
      });
    };
    reduce(0, main, k_.unroll_ic, format_.per_word());
    reduce(main, words, 1, format_.per_word());
    if (columns % format_.per_word() != 0) reduce(words, words + 1, 1, columns % format_.per_word());
    if (!k_.scales_late()) return sums;
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = b_.Fma(sums[i], values.scales[i % values.scales.size()], in[i]);
    }
    return sums;
  }

  // Adds the products of the first `integers` integers of a word of the block.
  void Word(const RegisterTile& registers, Vals& acc, Value* x, const PanelAddresses& at, Value* word,
            const BlockValues& values, int64_t integers) {
    Vals rows{b_.At(x, b_.Mul(word, Bytes(DType::kFloat32, format_.per_word())))};
    for (int p = 1; p < registers.pixels; ++p) rows.push_back(b_.At(rows.back(), data_stride_));
    const Vals packed = panels_.Words(at, word, registers.vectors, k_.prefetch);
    for (int64_t i = 0; i < integers; ++i) {
      registers.Step(
          b_, acc, [&](int p) { return b_.Load(b_.At(Nth(rows, p), Bytes(DType::kFloat32, i))); },
          [&](int v) { return Weights(packed, values, v, i, !k_.scales_late()); });
    }
  }

  BlockValues ValuesAt(const PanelAddresses& at, int vectors) {
    return {panels_.Scales(at, vectors), panels_.Zeros(at, vectors)};
  }

  // Integer number `i` of the words of vector `v` as float32.
  Value* Weights(const Vals& words, const BlockValues& values, int v, int64_t i, bool scaled) {
    auto& ir = b_.ir();
    const auto bits = static_cast<int>(format_.bits), left = kWordBits - bits * static_cast<int>(i + 1);
    Value* integer = Nth(words, v);
    if (left > 0) integer = ir.CreateShl(integer, static_cast<uint64_t>(left));
    integer = ir.CreateAShr(integer, static_cast<uint64_t>(kWordBits - bits));
    if (!values.zeros.empty()) integer = ir.CreateSub(integer, Nth(values.zeros, v));
    Value* real = ir.CreateSIToFP(integer, VectorOf(b_.f32(), lanes_));
    return scaled ? b_.FMul(real, Nth(values.scales, v)) : real;
  }

  // Writes the panel as float32, [k][column].
  void Unpack(const PanelAddresses& panel, int64_t columns) {
    const int64_t whole = K_ / format_.block, rest = K_ % format_.block;
    b_.For(0, whole, 1, [&](Value* i) { UnpackBlock(panel, i, columns, format_.block); });
    if (rest != 0) UnpackBlock(panel, b_.Index(whole), columns, rest);
  }

  void UnpackBlock(const PanelAddresses& panel, Value* block, int64_t columns, int64_t depth) {
    const int vectors = Vectors(columns);
    const PanelAddresses at = panels_.Block(panel, block);
    const BlockValues values = ValuesAt(at, vectors);
    Value* to = b_.At(unpacked_, b_.Mul(block, Bytes(DType::kFloat32, format_.block * k_.oc_block)));
    const auto word = [&](Value* i, int64_t integers) {
      const Vals packed = panels_.Words(at, i, vectors, k_.prefetch);
      Value* line = b_.At(to, b_.Mul(i, Bytes(DType::kFloat32, format_.per_word() * k_.oc_block)));
      for (int64_t n = 0; n < integers; ++n) {
        for (int v = 0; v < vectors; ++v) {
          const int64_t column = n * k_.oc_block + int64_t{v} * lanes_;
          b_.Store(Weights(packed, values, v, n, true), b_.At(line, Bytes(DType::kFloat32, column)));
        }
      }
    };
    const int64_t words = depth / format_.per_word(), integers = depth % format_.per_word();
    b_.For(0, words, 1, [&](Value* i) { word(i, format_.per_word()); });
    if (integers != 0) word(b_.Index(words), integers);
  }

  KernelBuilder& b_;
  int64_t M_, K_, N_;
  const DenseBlocksKnobs& k_;
  const ElementTypes& types_;
  const Epilogue& epilogue_;
  const StageArgs& args_;
  int lanes_;
  BlockPanels panels_;
  const BlockFormat& format_;
  Value *data_, *data_stride_, *unpacked_;
  EpilogueAddresses behind_;
};

}  // namespace

void EmitDenseBlocks(KernelBuilder& builder, const Workload& workload, const DenseBlocksKnobs& knobs,
                     const Epilogue& epilogue, const std::string& symbol) {
  builder.Stage(symbol,
                [&](const StageArgs& args) { DenseBlocksEmitter(builder, workload, knobs, epilogue, args).Emit(); });
}

}  // namespace hone
