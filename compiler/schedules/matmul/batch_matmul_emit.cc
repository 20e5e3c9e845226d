// The loop nest. The knob that cuts a loop is in brackets.
//
//   for product of the batch, for panel of output columns [oc_block], for tile of rows [tile_m]    the work items
//     pack=1, when a worker begins a panel: weights -> workspace
//     prefetch=1: every line of the output tile
//     one register tile (matmul_tile), its sum over k of K [unroll_ic]
//     epilogue and store
//
// Bytes are multiplied without taking their zero points away; ByteCentres has the difference. With pack=1 the sums
// start with it. With pack=0 each step joins four rows of the right matrix in registers. A row of ones adds up the
// columns, so the matrix is read once.
#include <algorithm>
#include <optional>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/batch_matmul.h"
#include "compiler/schedules/matmul/byte_centres.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "compiler/schedules/matmul/packed_panel.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

class BatchMatmulEmitter {
 public:
  // `inputs`: the number of operands before the output. The last of them is the scale, if there is one.
  BatchMatmulEmitter(KernelBuilder& builder, const MatmulShape& shape, const BatchMatmulKnobs& knobs,
                     const Epilogue& epilogue, const StageArgs& args, int inputs)
      : b_(builder),
        s_(shape),
        k_(knobs),
        epilogue_(epilogue),
        args_(args),
        types_(shape.types),
        step_types_{types_.data, StepWeight(types_, builder.machine()), types_.accumulator, types_.output},
        data_(builder, args, 0, types_.data, shape.data, 'M'),
        weight_(builder, args, 1, types_.weight, shape.weight, 'N'),
        out_(builder, args, inputs, types_.output, shape.output, 'M'),
        tile_{step_types_,     shape.K,
              knobs.unroll_ic, static_cast<int>(std::min<int64_t>(builder.lanes(), knobs.oc_block)),
              data_.row,       data_.column,
              weight_.column} {
    if (epilogue.scale) scales_ = builder.Operand(args, inputs - 1);
    tile_.ends_sharp = k_.pack == 0;
    if (k_.pack != 0) {
      packed_ = b_.WorkerWorkspace(args);
      tile_.panel_step = b_.Index(Bytes(StepType(types_), k_.oc_block));
    } else if (types_.whole()) {
      tile_.panel_step = b_.Mul(weight_.column, kDotGroup);
      tile_.weight_k = weight_.column;
      tile_.flips = flips();
      tile_.sums_columns = true;
    }
    if (!types_.whole()) return;
    const int64_t panel = k_.pack != 0 ? Bytes(StepType(types_), s_.steps() * k_.oc_block) : 0;
    centres_.emplace(builder, s_, tile_, args, b_.At(b_.WorkerWorkspace(args), panel), k_.tile_m);
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
  // Whether the weights' bytes are held with the other sign.
  bool flips() const { return step_types_.weight != types_.weight; }

  // A panel that a worker packs serves all row tiles that it computes in turn.
  void Panel(Value* item, Value* product, Value* panel, Value* tile, int64_t columns) {
    Value* first_column = b_.Mul(panel, k_.oc_block);
    Value* w = b_.At(weight_.Matrix(b_, product), b_.Mul(first_column, weight_.row));
    if (k_.pack != 0) {
      auto& ir = b_.ir();
      Value* is_new = ir.CreateOr(ir.CreateICmpEQ(tile, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin));
      b_.If(is_new, [&] {
        Packing().Emit(b_, w, packed_, columns);
        if (centres_) centres_->EmitColumns(packed_, columns);
      });
    }
    const int64_t row_tiles = CeilDiv(s_.M, k_.tile_m), last = s_.M - (row_tiles - 1) * k_.tile_m;
    const auto rows = [&](int64_t count) { Tile(product, first_column, tile, w, {count, columns}); };
    if (last == k_.tile_m) return rows(last);
    b_.If(b_.ir().CreateICmpEQ(tile, b_.Index(row_tiles - 1)), [&] { rows(last); }, [&] { rows(k_.tile_m); });
  }

  PanelPacking Packing() const {
    return {types_,
            s_.K,
            tile_.lanes,
            Bytes(StepType(types_), k_.oc_block),
            weight_.row,
            weight_.column,
            s_.weights_are_neighbours(),
            nullptr,
            flips()};
  }

  void Tile(Value* product, Value* first_column, Value* tile, Value* w, TileSize size) {
    Value* first_row = b_.Mul(tile, k_.tile_m);
    Value* x = b_.At(data_.Matrix(b_, product), b_.Mul(first_row, data_.row));
    Value* y = b_.At(out_.Matrix(b_, product), b_.Mul(first_row, out_.row));
    y = b_.At(y, b_.Mul(first_column, Bytes(types_.output)));
    if (k_.prefetch != 0) FetchOutput(y, size);
    const Vals acc = Sums(x, w, size);
    const int vectors = tile_.Vectors(size);
    Value* scale = scales_ != nullptr ? b_.At(scales_, b_.Mul(first_column, Bytes(DType::kFloat32))) : nullptr;
    for (int64_t p = 0; p < size.rows; ++p, y = b_.At(y, out_.row)) {
      for (int v = 0; v < vectors; ++v) {
        Store(Nth(acc, p * vectors + v), y, scale, size, v);
      }
    }
  }

  Vals Sums(Value* x, Value* w, TileSize size) {
    if (!centres_) return tile_.Sums(b_, x, packed_ ? packed_ : w, size);
    centres_->EmitRows(x, size.rows);
    if (packed_ != nullptr) return tile_.Sums(b_, x, packed_, size, centres_->Start(size));
    Vals sums = tile_.Sums(b_, x, w, size);
    const int vectors = tile_.Vectors(size);
    for (int v = 0; v < vectors; ++v) {
      Value* of_column = centres_->OfColumns(Nth(sums, size.rows * vectors + v));
      for (int64_t p = 0; p < size.rows; ++p) {
        Value* of_row = LoadElements(b_, types_.accumulator, centres_->Row(b_.Index(p)), 1);
        Value* both = b_.ir().CreateAdd(of_column, b_.Splat(of_row, tile_.lanes));
        Nth(sums, p * vectors + v) = b_.ir().CreateAdd(Nth(sums, p * vectors + v), both);
      }
    }
    return sums;
  }

  // The lanes of a tail are finished one by one: nothing past the columns is read or written, and nothing twice.
  void Store(Value* sum, Value* y, Value* scale, TileSize size, int vector) {
    const auto store = [&](Value* part, int64_t at) {
      EpilogueOperands operands;
      if (scale != nullptr) operands.scale = b_.At(scale, Bytes(DType::kFloat32, at));
      Value* done = types_.whole() ? EmitEpilogue(b_, epilogue_, types_, part, operands)
                                   : Converted(b_, part, types_.accumulator, types_.output);
      b_.Store(done, b_.At(y, Bytes(types_.output, at)));
    };
    const int64_t first = int64_t{vector} * tile_.lanes, from = tile_.FirstColumn(size, vector);
    const int64_t end = std::min(first + tile_.lanes, size.columns);
    if (end - first == tile_.lanes) return store(sum, first);
    for (int64_t column = first; column < end; ++column) {
      store(b_.ir().CreateExtractElement(sum, static_cast<uint64_t>(column - from)), column);
    }
  }

  // Neighbouring rows of a wide output are pages apart, so no hardware prefetcher foresees them.
  void FetchOutput(Value* y, TileSize size) {
    for (int64_t p = 0; p < size.rows; ++p, y = b_.At(y, out_.row)) {
      const int64_t bytes = Bytes(types_.output, size.columns);
      for (int64_t byte = 0; byte < bytes; byte += b_.machine().line_bytes) b_.Prefetch(b_.At(y, byte));
    }
  }

  KernelBuilder& b_;
  const MatmulShape& s_;
  const BatchMatmulKnobs& k_;
  const Epilogue& epilogue_;
  const StageArgs& args_;
  const ElementTypes& types_;
  const ElementTypes step_types_;  // with the weights as they are multiplied
  MatmulOperand data_, weight_, out_;
  MatmulTile tile_;
  Value *packed_ = nullptr, *scales_ = nullptr;
  std::optional<ByteCentres> centres_;
};

}  // namespace

void EmitBatchMatmul(KernelBuilder& builder, const Workload& workload, const BatchMatmulKnobs& knobs,
                     const Epilogue& epilogue, const std::string& symbol) {
  const MatmulShape shape(workload);
  const int inputs = static_cast<int>(ComputedOperands(workload, epilogue).size());
  builder.Stage(
      symbol, [&](const StageArgs& args) { BatchMatmulEmitter(builder, shape, knobs, epilogue, args, inputs).Emit(); });
}

}  // namespace hone
