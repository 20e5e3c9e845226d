// Weights in blocks times many rows, both rounded to bfloat16, in Intel AMX's tile registers. It stands in for products
// with rows of bytes: bfloat16 rounds a row by less than 8 bits for a whole block do. The loop nest; the knob that cuts
// a loop is in brackets.
//
//   round the rows to bfloat16: a stage of its own
//   for panel of output columns [oc_block], for group of row tiles [tile_m]     the work items
//     the first group of a worker's panel: its weights as bfloat16 to the workspace, in tiles of 32 x 16
//     for register tile of columns [tile_oc x 16]
//       sums = 0
//       for 32 rows of weights
//         sums(p, v) += x(p) * w(v)                     tile registers, see matmul_tile_registers.h
//       sums to the workspace, epilogue, store
//
// A tile of unpacked weights: row k of 16 has the weights 2 k and 2 k + 1 of 16 columns.
//
//   row 0    | k0 k1 | k0 k1 | .. | k0 k1 |
//   row 1    | k2 k3 | k2 k3 | .. | k2 k3 |
//
// Row tiles have equal heights. The last one ends with the last row, and rows that it shares with the tile before are
// stored only by that one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/block_panels.h"
#include "compiler/schedules/matmul/dense_rows.h"
#include "compiler/schedules/matmul/matmul_tile_registers.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/parts/tile_row.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int kTileDepth = 32;  // weights of a column in a tile

std::vector<int64_t> BlockTilePanels(const Workload&, const MachineModel& machine) {
  std::vector<int64_t> blocks;
  for (int64_t v : {1, 2, 4, 6, 8}) blocks.push_back(v * machine.vector_lanes);
  return blocks;
}

struct BlockAmxKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Output columns of a packed panel of weights.
  int64_t oc_block = Row("oc_block", 16, {16, 512, 16}, BlockTilePanels);
  // Tiles of 16 output columns in one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 6}, Always<1, 2>);
  // Rows of one register tile, in tiles of up to 16.
  int64_t tile_m = Row("tile_m", 16, {16, 96, 16}, Always<16, 32>);
};

// The extents that the knobs give a shape.
struct BlockAmxNest {
  BlockFormat format;
  int64_t M, K, N, oc_block;
  int outputs, channels;   // tiles of a register tile: along rows, along columns
  int64_t tiles, width;    // row tiles, and the rows of each
  int64_t panels, groups;  // of columns and of row tiles

  BlockAmxNest(const Workload& w, const BlockAmxKnobs& k)
      : format(BlockFormat::Parse(w.layouts)),
        M(w.data[0]),
        K(w.data[1]),
        N(w.weight[0]),
        oc_block(k.oc_block),
        outputs(static_cast<int>(k.tile_m / kTileColumns)),
        channels(static_cast<int>(k.tile_oc)),
        tiles(CeilDiv(M, kTileColumns)),
        width(CeilDiv(M, tiles)),
        panels(CeilDiv(N, k.oc_block)),
        groups(CeilDiv(tiles, outputs)) {}
  int64_t depth() const { return K / kTileDepth; }
  int64_t panel_tiles() const { return oc_block / kTileColumns; }
  int64_t row_bytes() const { return Bytes(DType::kBFloat16, K); }
  int64_t unpacked_bytes() const { return depth() * panel_tiles() * kFullTileBytes; }
  int64_t sums_bytes() const { return outputs * channels * kFullTileBytes; }
  int64_t register_columns() const { return channels * int64_t{kTileColumns}; }
};

class BlockAmxEmitter {
 public:
  BlockAmxEmitter(KernelBuilder& builder, const Workload& w, const BlockAmxNest& nest, const Epilogue& epilogue,
                  const StageArgs& args)
      : b_(builder),
        tiles_(builder),
        nest_(nest),
        in_{nest.outputs, nest.channels},
        types_(FloatTypes(w.types.data, w.types.weight, w.types.output)),
        epilogue_(epilogue),
        args_(args),
        panels_(builder, w, args, nest.oc_block, kTileColumns),
        behind_(ReadEpilogueAddresses(builder, args, epilogue, BlockOperands(w))),
        rows_(builder.SharedWorkspace(args)) {}

  // The stage that rounds the rows of its items.
  void EmitRows() {
    Value *data = b_.Operand(args_, 0), *stride = b_.BatchStride(args_, 0);
    b_.For(args_.begin, args_.end, 1, [&](Value* row) {
      Value *from = b_.At(data, b_.Mul(row, stride)), *to = b_.At(rows_, b_.Mul(row, nest_.row_bytes()));
      b_.For(0, nest_.K, kTileColumns, [&](Value* k) {
        Value* x = b_.Load(b_.At(from, b_.Mul(k, Bytes(DType::kFloat32))), kTileColumns);
        b_.Store(Converted(b_, x, DType::kFloat32, DType::kBFloat16), b_.At(to, b_.Mul(k, Bytes(DType::kBFloat16))));
      });
    });
  }

  void Emit() {
    unpacked_ = b_.WorkerWorkspace(args_);
    sums_ = b_.At(unpacked_, nest_.unpacked_bytes());
    tiles_.Configure(in_.Heights(nest_.width));
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      auto& ir = b_.ir();
      Value *panel = b_.Div(item, nest_.groups), *group = b_.Mod(item, nest_.groups);
      Value* is_new = ir.CreateOr(ir.CreateICmpEQ(group, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin));
      b_.If(is_new, [&] { Unpack(panels_.Panel(panel)); });
      const int last = static_cast<int>(nest_.tiles - (nest_.groups - 1) * nest_.outputs);
      if (last == nest_.outputs) return Group(panel, group, last);
      b_.If(
          ir.CreateICmpEQ(group, b_.Index(nest_.groups - 1)), [&] { Group(panel, group, last); },
          [&] { Group(panel, group, nest_.outputs); });
    });
    tiles_.Release();
  }

 private:
  void Unpack(const PanelAddresses& panel) {
    const BlockFormat& format = nest_.format;
    const int64_t words = format.Words(format.block);
    b_.For(0, nest_.K / format.block, 1, [&](Value* block) {
      const PanelAddresses at = panels_.Block(panel, block);
      const Vals scales = panels_.Scales(at, Tiles()), zeros = panels_.Zeros(at, Tiles());
      b_.For(0, words, 1, [&](Value* word) {
        const Vals packed = panels_.Words(at, word, Tiles(), 0);
        Value* pair = b_.Mul(b_.Add(b_.Mul(block, words), word), format.per_word() / 2);
        for (int v = 0; v < Tiles(); ++v) {
          for (int64_t i = 0; i < format.per_word(); i += 2) {
            const auto weight = [&](int64_t at_word) {
              return Weight(Nth(packed, v), at_word, Nth(scales, v), zeros.empty() ? nullptr : Nth(zeros, v));
            };
            b_.Store(Pairs(weight(i), weight(i + 1)), PairAt(b_.Add(pair, i / 2), v));
          }
        }
      });
    });
  }

  int Tiles() const { return static_cast<int>(nest_.panel_tiles()); }

  // The row of a tile with pair number `pair` along K.
  Value* PairAt(Value* pair, int v) {
    constexpr int64_t kPairs = kTileDepth / 2;
    Value* tile = b_.Add(b_.Mul(b_.Div(pair, kPairs), nest_.panel_tiles()), v);
    return b_.At(b_.At(unpacked_, b_.Mul(tile, kFullTileBytes)), b_.Mul(b_.Mod(pair, kPairs), kTileRowBytes));
  }

  // Integer number `i` of each column's word as float32.
  Value* Weight(Value* words, int64_t i, Value* scale, Value* zero) {
    auto& ir = b_.ir();
    const int64_t bits = nest_.format.bits, left = 32 - bits * (i + 1);
    if (left > 0) words = ir.CreateShl(words, static_cast<uint64_t>(left));
    Value* integer = ir.CreateAShr(words, static_cast<uint64_t>(32 - bits));
    if (zero != nullptr) integer = ir.CreateSub(integer, zero);
    return b_.FMul(ir.CreateSIToFP(integer, VectorOf(b_.f32(), kTileColumns)), scale);
  }

  // Neighbours along K side by side, for each column.
  Value* Pairs(Value* even, Value* odd) {
    auto& ir = b_.ir();
    const auto wide = [&](Value* x) {
      return ir.CreateZExt(Converted(b_, x, DType::kFloat32, DType::kBFloat16), VectorOf(b_.i32(), kTileColumns));
    };
    return ir.CreateOr(wide(even), ir.CreateShl(wide(odd), 16));
  }

  void Group(Value* panel, Value* group, int outputs) {
    Vals starts, own;  // the first row of each tile, and the first row that is its own
    for (int p = 0; p < outputs; ++p) {
      Value* even = b_.Mul(b_.Add(b_.Mul(group, nest_.outputs), p), nest_.width);
      starts.push_back(b_.Min(even, b_.Index(nest_.M - nest_.width)));
      own.push_back(b_.Sub(even, starts.back()));
    }
    const int64_t all = CeilDiv(nest_.N, nest_.register_columns());  // register tiles of all panels
    const int64_t of_panel = nest_.panel_tiles() / nest_.channels;
    Value* first = b_.Mul(panel, of_panel);
    b_.For(b_.Index(0), b_.Min(b_.Index(of_panel), b_.Sub(b_.Index(all), first)), 1, [&](Value* column) {
      Products(starts, column);
      for (int p = 0; p < outputs; ++p) Finish(Nth(starts, p), Nth(own, p), p, b_.Add(first, column), all);
    });
  }

  // Leaves the sums of the tiles in the workspace: rows of all channels.
  void Products(const Vals& starts, Value* column) {
    const int outputs = static_cast<int>(starts.size());
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < nest_.channels; ++v) tiles_.Zero(in_.Sums(p, v));
    }
    Value* of_column = b_.At(unpacked_, b_.Mul(column, nest_.channels * kFullTileBytes));
    b_.For(0, nest_.depth(), 1, [&](Value* k) {
      Value* w = b_.At(of_column, b_.Mul(k, nest_.panel_tiles() * kFullTileBytes));
      for (int v = 0; v < nest_.channels; ++v) tiles_.Load(in_.Weights(v), b_.At(w, v * kFullTileBytes), kTileRowBytes);
      for (int p = 0; p < outputs; ++p) {
        Value* row = b_.At(rows_, b_.Mul(Nth(starts, p), nest_.row_bytes()));
        tiles_.Load(in_.Rows(p), b_.At(row, b_.Mul(k, kTileRowBytes)), nest_.row_bytes());
        for (int v = 0; v < nest_.channels; ++v) {
          tiles_.MultiplyAdd(DType::kBFloat16, DType::kBFloat16, in_.Sums(p, v), in_.Rows(p), in_.Weights(v));
        }
      }
    });
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < nest_.channels; ++v)
        tiles_.Store(in_.Sums(p, v), SumsAt(p, v), nest_.channels * kTileRowBytes);
    }
  }

  Value* SumsAt(int p, int v) { return b_.At(sums_, p * nest_.channels * kFullTileBytes + v * kTileRowBytes); }

  // `column` is a number among `all` register tiles' columns; the last one may be partial.
  void Finish(Value* start, Value* own, int p, Value* column, int64_t all) {
    const int64_t wide = nest_.register_columns(), last = nest_.N - (all - 1) * wide;
    const auto rows = [&](int64_t columns) {
      const RegisterTile registers{1, static_cast<int>(CeilDiv(columns, kTileColumns)), kTileColumns};
      b_.For(own, b_.Index(nest_.width), 1, [&](Value* r) {
        Value* from = b_.At(SumsAt(p, 0), b_.Mul(r, nest_.channels * kTileRowBytes));
        Vals sums;
        for (int v = 0; v < registers.vectors; ++v)
          sums.push_back(b_.Load(b_.At(from, v * kTileRowBytes), kTileColumns));
        StoreDenseTile(b_, epilogue_, types_, behind_, {registers, b_.Add(start, r), column, wide, columns}, sums);
      });
    };
    if (last == wide) return rows(wide);
    b_.If(b_.ir().CreateICmpEQ(column, b_.Index(all - 1)), [&] { rows(last); }, [&] { rows(wide); });
  }

  KernelBuilder& b_;
  MatrixTiles tiles_;
  const BlockAmxNest& nest_;
  const MatmulTileRegisters in_;
  ElementTypes types_;
  const Epilogue& epilogue_;
  const StageArgs& args_;
  BlockPanels panels_;
  EpilogueAddresses behind_;
  Value *rows_, *unpacked_ = nullptr, *sums_ = nullptr;
};

// Cycles of a weight of 16 columns as bfloat16, and of 16 elements of a row.
constexpr double kUnpackedCycles = 4, kRoundedCycles = 2;

class DenseBlockTiles : public KnobSchedule<BlockAmxKnobs> {
 public:
  std::string_view name() const override { return "dense_blocks_amx"; }
  int version() const override { return 1; }
  // Bytes of a block round each element by up to a 254th of the largest.
  double tolerance() const override { return 2e-2; }
  bool Takes(const ElementTypes& types) const override {
    return types == ElementTypes{DType::kFloat32, DType::kInt32, DType::kInt32, DType::kFloat32};
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    if (w.op != "nn.dense_blocks" || TileRow(DType::kBFloat16, machine) == 0) return false;
    if (machine.vector_lanes != kTileColumns) return false;
    return w.data[0] >= kLeastTileRows && w.data[1] % kTileDepth == 0 &&
           w.data[1] % BlockFormat::Parse(w.layouts).block == 0;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel&, const BlockAmxKnobs& k) const override {
    const BlockAmxNest nest(w, k);
    const int registers = nest.outputs * nest.channels + nest.channels + 1;
    if (registers > MatrixTiles::kRegisters) {
      return fmt::format("the register tile needs {} of {} tiles", registers, MatrixTiles::kRegisters);
    }
    if (nest.panel_tiles() % nest.channels != 0) return "oc_block is not a multiple of tile_oc tiles";
    if (nest.outputs > nest.tiles) return "tile_m is more than the rows";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const BlockAmxKnobs& k,
                                          const Epilogue& epilogue) const override {
    return DenseBlockOperands(w, k.oc_block, epilogue);
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const BlockAmxKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const BlockAmxNest nest(w, k);
    const std::string products = symbol + "_1";
    builder.Stage(symbol, [&](const StageArgs& args) { BlockAmxEmitter(builder, w, nest, epilogue, args).EmitRows(); });
    builder.Stage(products, [&](const StageArgs& args) { BlockAmxEmitter(builder, w, nest, epilogue, args).Emit(); });
    EmittedKernel kernel;
    kernel.shared_workspace_bytes = nest.M * nest.row_bytes();
    kernel.stages.push_back({symbol, nest.M, 1, 0});
    kernel.stages.push_back({products, nest.panels * nest.groups, 1, nest.unpacked_bytes() + nest.sums_bytes()});
    kernel.boxes.push_back({0, 0, {{nest.M, 0, 1, 1}}});
    kernel.boxes.push_back(
        {1, 0, {{nest.panels, 1, 1, nest.oc_block}, {nest.groups, 0, 1, nest.outputs * nest.width}}});
    return kernel;
  }

  // The line is all rows. A step is two products.
  TileShape TileWith(const Workload& w, const MachineModel&, const BlockAmxKnobs& k) const override {
    const BlockAmxNest nest(w, k);
    TileShape tile;
    tile.rows = static_cast<double>(nest.outputs * nest.width);
    tile.vectors = nest.channels;
    tile.line = static_cast<double>(nest.M);
    tile.groups = static_cast<double>(nest.panels);
    tile.steps = static_cast<double>(nest.K / 2);
    tile.unroll = kTileColumns;
    tile.weight_bytes = static_cast<double>(BlockPanelBytes(w, k.oc_block));
    tile.input_bytes = static_cast<double>(nest.M * nest.row_bytes());
    tile.workspace_bytes = tile.input_bytes + static_cast<double>(nest.unpacked_bytes());
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const BlockAmxKnobs& k) const override {
    const BlockAmxNest nest(w, k);
    const double width = static_cast<double>(nest.width), panel = static_cast<double>(nest.unpacked_bytes());
    const double row_bytes = static_cast<double>(nest.row_bytes()), all_rows = row_bytes * static_cast<double>(nest.M);
    TileStep step{static_cast<double>(nest.outputs), static_cast<double>(nest.channels), width, 0, panel};
    step.rows_walk = panel + all_rows;
    const double tile = static_cast<double>(nest.depth()) * TileStepCycles(machine, step) + kTileStartCycles +
                        step.outputs * (step.channels * kTileStoreCycles +
                                        width * (kFinishRowCycles + kFinishFloatCycles * nest.channels));
    const int64_t items = nest.panels * nest.groups;
    const double columns = static_cast<double>(CeilDiv(nest.N, nest.register_columns()));
    const double products = columns * static_cast<double>(nest.groups) * tile;
    const double unpacking = static_cast<double>(nest.panels * nest.panel_tiles() * nest.K) * kUnpackedCycles;
    const double rounding = static_cast<double>(nest.M * nest.K / kTileColumns) * kRoundedCycles;
    const double cycles = (products + unpacking) * ThreadShare(items, machine.threads) +
                          rounding * ThreadShare(nest.M, machine.threads) + 2 * kStageStartCycles;
    const double bytes = static_cast<double>(nest.panels * BlockPanelBytes(w, k.oc_block));
    const double rate = machine.threads == 1 ? machine.cold_bytes_per_cycle : machine.shared_bytes_per_cycle;
    return (cycles + 0.8 * bytes / rate) / machine.clock_ghz + WakingNs(machine.threads);
  }
};

}  // namespace

const Schedule& DenseBlocksAmx() {
  static const DenseBlockTiles schedule;
  return schedule;
}

}  // namespace hone
