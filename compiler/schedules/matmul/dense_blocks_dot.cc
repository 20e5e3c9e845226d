// Weights in blocks times rows that are quantised to signed bytes, block by block. Sums within a block are exact. The
// loop nest; the knob that cuts a loop is in brackets.
//
//   quantise the rows: a stage of its own, or each worker first if one tile has all rows
//   for panel of output columns [oc_block], for tile of rows [tile_m]    the work items, panel * row tiles + tile
//     acc = 0
//     for block along K
//       sums = -(middle + zero(v)) * sum of the row's bytes              weights are multiplied as unsigned bytes
//       for word of the block [unroll_ic], for group of four
//         sums[p][v] += x(p) . w(v)                                      four products each (vpdpbusd, usdot, sdot)
//       acc[p][v] += sums[p][v] * (scale(v) * step(p))
//     epilogue and store
//
// The groups of a vector of words of int4:
//
//                 column 0                    column 1
//   word         | k0 k1 k2 k3 k4 k5 k6 k7 | k0 k1 k2 k3 k4 k5 k6 k7 |
//   w, group 0   |    k0    k2    k4    k6 |    k0    k2    k4    k6 |    masked
//   w, group 1   |    k1    k3    k5    k7 |    k1    k3    k5    k7 |    shifted right by 4, then masked
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/block_dots.h"
#include "compiler/schedules/matmul/block_panels.h"
#include "compiler/schedules/matmul/dense_rows.h"
#include "compiler/schedules/matmul/quantised_rows.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

std::vector<int64_t> DotPanels(const Workload&, const MachineModel& machine) {
  std::vector<int64_t> blocks;
  for (int64_t v : {1, 2, 3, 4, 6, 8}) blocks.push_back(v * machine.vector_lanes);
  return blocks;
}

std::vector<int64_t> DotTileRows(const Workload& w, const MachineModel&) {
  std::vector<int64_t> rows;
  for (int64_t m = 1; m <= std::min<int64_t>(w.data[0], 8); ++m) rows.push_back(m);
  return rows;
}

struct BlockDotKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Output columns of a packed panel of weights: one register tile's columns.
  int64_t oc_block = Row("oc_block", 8, {1, 512}, DotPanels);
  // Rows of one register tile.
  int64_t tile_m = Row("tile_m", 1, {1, 64}, DotTileRows);
  // Words per inner iteration.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 16}, Always<1, 2, 4>);
  // Weights fetched ahead, in units of 4 KiB.
  int64_t prefetch = Row("prefetch", 0, {0, 64}, Always<0, 1, 2>);

  int LanesOn(const MachineModel& machine) const {
    return static_cast<int>(std::min<int64_t>(machine.vector_lanes, oc_block));
  }
};

// Shares of the read bandwidth that words of 4 bits reach without fetching ahead, and with more than 4 KiB. On an
// Emerald Rapids guest that reads 13 to 15 GB/s they reached 3 to 11 and 14; with 4 KiB ahead 11 to 14.
constexpr double kWordsNotFetched = 0.6, kWordsFetchedFar = 0.98;

// A sum of products of a block stays below 2^31.
constexpr int64_t kLongestDotBlock = int64_t{1} << 16;

QuantisedRows RowsOf(const Workload& w, const MachineModel& machine, int lanes) {
  const BlockFormat format = BlockFormat::Parse(w.layouts);
  return RowsForStep(BlockStepOn(machine, format, lanes), format, w.data[1]);
}

class BlockDotEmitter {
 public:
  BlockDotEmitter(KernelBuilder& builder, const Workload& w, const BlockDotKnobs& knobs, const Epilogue& epilogue,
                  const StageArgs& args)
      : b_(builder),
        M_(w.data[0]),
        N_(w.weight[0]),
        k_(knobs),
        types_(FloatTypes(w.types.data, w.types.weight, w.types.output)),
        epilogue_(epilogue),
        args_(args),
        lanes_(knobs.LanesOn(builder.machine())),
        rows_(RowsOf(w, builder.machine(), lanes_)),
        panels_(builder, w, args, knobs.oc_block, lanes_),
        dots_(builder, rows_, panels_, lanes_, knobs.unroll_ic, knobs.prefetch),
        behind_(ReadEpilogueAddresses(builder, args, epilogue, BlockOperands(w))) {}

  // `quantises` says whether the worker quantises the rows, else an earlier stage did.
  void Emit(bool quantises) {
    rows_at_ = quantises ? b_.WorkerWorkspace(args_) : b_.SharedWorkspace(args_);
    if (quantises) QuantiseRows(b_.Index(0), b_.Index(M_));
    const int64_t row_tiles = CeilDiv(M_, k_.tile_m), panels = CeilDiv(N_, k_.oc_block);
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value *panel = b_.Div(item, row_tiles), *tile = b_.Mod(item, row_tiles);
      const int64_t last = N_ - (panels - 1) * k_.oc_block;
      if (last == k_.oc_block) return Panel(panel, tile, last);
      b_.If(
          b_.ir().CreateICmpEQ(panel, b_.Index(panels - 1)), [&] { Panel(panel, tile, last); },
          [&] { Panel(panel, tile, k_.oc_block); });
    });
  }

  // The stage that quantises the rows of its items.
  void EmitRows() {
    rows_at_ = b_.SharedWorkspace(args_);
    QuantiseRows(args_.begin, args_.end);
  }

 private:
  void QuantiseRows(Value* first, Value* end) {
    Value *data = b_.Operand(args_, 0), *stride = b_.BatchStride(args_, 0);
    b_.For(first, end, 1, [&](Value* row) { rows_.Emit(b_, b_.At(data, b_.Mul(row, stride)), RowAt(row)); });
  }

  Value* RowAt(Value* row) { return b_.At(rows_at_, b_.Mul(row, rows_.row_bytes())); }

  void Panel(Value* panel, Value* tile, int64_t columns) {
    const int64_t row_tiles = CeilDiv(M_, k_.tile_m), last = M_ - (row_tiles - 1) * k_.tile_m;
    if (last == k_.tile_m) return Tile(panel, tile, last, columns);
    b_.If(
        b_.ir().CreateICmpEQ(tile, b_.Index(row_tiles - 1)), [&] { Tile(panel, tile, last, columns); },
        [&] { Tile(panel, tile, k_.tile_m, columns); });
  }

  void Tile(Value* panel, Value* tile, int64_t rows, int64_t columns) {
    const RegisterTile registers{static_cast<int>(rows), static_cast<int>(CeilDiv(columns, lanes_)), lanes_};
    Value* first_row = b_.Mul(tile, k_.tile_m);
    const PanelAddresses at = panels_.Panel(panel);
    const int64_t whole = rows_.columns / rows_.format.block, rest = rows_.columns % rows_.format.block;
    Vals x;
    for (int64_t p = 0; p < rows; ++p) x.push_back(RowAt(b_.Add(first_row, p)));
    Vals acc = registers.Zeros(b_, DType::kFloat32);
    acc = b_.Loop(0, whole, 1, acc, [&](Value* block, const Vals& in) {
      return Block(registers, x, panels_.Block(at, block), block, rows_.format.block, in);
    });
    if (rest != 0) acc = Block(registers, x, panels_.Block(at, b_.Index(whole)), b_.Index(whole), rest, acc);
    StoreDenseTile(b_, epilogue_, types_, behind_, {registers, first_row, panel, k_.oc_block, columns}, acc);
  }

  Vals Block(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block, int64_t columns,
             const Vals& in) {
    return Scaled(registers, x, at, block, dots_.Sums(registers, x, at, block, columns), in);
  }

  Vals Scaled(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block, const Vals& sums,
              const Vals& in) {
    const Vals scales = panels_.Scales(at, registers.vectors, k_.prefetch);
    Vals acc = in;
    for (int p = 0; p < registers.pixels; ++p) {
      Value* step = b_.Splat(b_.Load(OfBlock(Nth(x, p), rows_.steps_at(), block)), lanes_);
      for (int v = 0; v < registers.vectors; ++v) {
        Value*& a = Nth(acc, p * registers.vectors + v);
        Value* sum = Converted(b_, Nth(sums, p * registers.vectors + v), DType::kInt32, DType::kFloat32);
        a = b_.Fma(sum, b_.FMul(Nth(scales, v), step), a);
      }
    }
    return acc;
  }

  Value* OfBlock(Value* row, int64_t from, Value* block) { return b_.At(b_.At(row, from), b_.Mul(block, 4)); }

  KernelBuilder& b_;
  int64_t M_, N_;
  const BlockDotKnobs& k_;
  ElementTypes types_;
  const Epilogue& epilogue_;
  const StageArgs& args_;
  int lanes_;
  QuantisedRows rows_;
  BlockPanels panels_;
  BlockDots dots_;
  Value* rows_at_ = nullptr;
  EpilogueAddresses behind_;
};

class DenseBlockDots : public KnobSchedule<BlockDotKnobs> {
 public:
  std::string_view name() const override { return "dense_blocks_dot"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return types == ElementTypes{DType::kFloat32, DType::kInt32, DType::kInt32, DType::kFloat32};
  }
  bool Applies(const Workload& w, const MachineModel&) const override { return w.op == "nn.dense_blocks"; }

 private:
  static bool QuantisesFirst(const Workload& w, const BlockDotKnobs& k) { return k.tile_m < w.data[0]; }

  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const BlockDotKnobs& k) const override {
    const int lanes = k.LanesOn(machine);
    if (k.oc_block % lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", lanes);
    if (k.tile_m > w.data[0]) return "tile_m is more than the rows";
    const BlockFormat format = BlockFormat::Parse(w.layouts);
    if (format.block > kLongestDotBlock) return "sums of a block could leave int32";
    if (k.unroll_ic > format.Words(std::min(w.data[1], format.block))) return "unroll_ic is more than a block's words";
    const RegisterTile tile{static_cast<int>(k.tile_m), static_cast<int>(k.oc_block / lanes), lanes,
                            machine.byte_dots == ByteDots::kMixedFours ? 1 : 2};
    const BlockStep step = BlockStepOn(machine, format, lanes);
    // Floats wait in memory while a block is added up in shorts or by signs.
    const int64_t needed = step == BlockStep::kFours
                               ? int64_t{tile.RegistersOn(machine)} + tile.pixels * tile.vectors + 2 * tile.vectors
                               : tile.pixels * tile.vectors + 2 * tile.vectors + (step == BlockStep::kSigns ? 3 : 2);
    if (needed > machine.vector_registers) {
      return fmt::format("the sums, words and scales need {} of {} registers", needed, machine.vector_registers);
    }
    if (tile.pixels * tile.vectors * k.unroll_ic * format.per_word() > 640) {
      return "more than 160 dot products in a straight line";
    }
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const BlockDotKnobs& k,
                                          const Epilogue& epilogue) const override {
    return DenseBlockOperands(w, k.oc_block, epilogue);
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const BlockDotKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const auto emitter = [&](const StageArgs& args) { return BlockDotEmitter(builder, w, k, epilogue, args); };
    const int64_t panels = CeilDiv(w.weight[0], k.oc_block), row_tiles = CeilDiv(w.data[0], k.tile_m);
    const int64_t bytes = w.data[0] * RowsOf(w, machine, k.LanesOn(machine)).row_bytes();
    const bool first = QuantisesFirst(w, k);
    EmittedKernel kernel;
    std::string products = symbol;
    if (first) {
      builder.Stage(symbol, [&](const StageArgs& args) { emitter(args).EmitRows(); });
      kernel.stages.push_back({symbol, w.data[0], 1, 0});
      kernel.boxes.push_back({0, 0, {{w.data[0], 0, 1, 1}}});
      kernel.shared_workspace_bytes = bytes;
      products += "_1";
    }
    builder.Stage(products, [&](const StageArgs& args) { emitter(args).Emit(!first); });
    kernel.stages.push_back({products, panels * row_tiles, 1, first ? 0 : bytes});
    kernel.boxes.push_back({first ? 1 : 0, 0, {{panels, 1, 1, k.oc_block}, {row_tiles, 0, 1, k.tile_m}}});
    return kernel;
  }

  // The line is all rows. A step is four products.
  TileShape TileWith(const Workload& w, const MachineModel& machine, const BlockDotKnobs& k) const override {
    const QuantisedRows rows = RowsOf(w, machine, k.LanesOn(machine));
    const int64_t groups = rows.groups();
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_m);
    tile.vectors = static_cast<double>(k.oc_block / k.LanesOn(machine));
    tile.line = static_cast<double>(w.data[0]);
    tile.groups = static_cast<double>(CeilDiv(w.weight[0], k.oc_block));
    tile.steps = static_cast<double>(w.weight[1] * groups);
    tile.unroll = static_cast<double>(k.unroll_ic * groups);
    tile.weight_bytes = static_cast<double>(BlockPanelBytes(w, k.oc_block));
    tile.input_bytes = static_cast<double>(w.data[0] * rows.row_bytes());
    tile.workspace_bytes = tile.input_bytes;
    return tile;
  }

  // A group of four costs its mask and shift beside its products; a block costs its scales.
  double EstimateNsWith(const Workload& w, const MachineModel& machine, const BlockDotKnobs& k) const override {
    const BlockFormat format = BlockFormat::Parse(w.layouts);
    const double vectors = static_cast<double>(CeilDiv(k.oc_block, machine.vector_lanes));
    const double panels = static_cast<double>(CeilDiv(w.weight[0], k.oc_block));
    const double tiles = static_cast<double>(CeilDiv(w.data[0], k.tile_m));
    const double rows = static_cast<double>(k.tile_m);
    const double groups = static_cast<double>(w.weight[1] * format.per_word() / kDotGroup);
    const double blocks = static_cast<double>(format.Blocks(w.data[1]));
    const double dot = StepCost(BlockStepOn(machine, format, k.LanesOn(machine)), machine);
    const double step =
        std::max((rows * vectors * dot + vectors * (format.bits == 8 ? 1 : 2)) / machine.multiply_adds_per_cycle,
                 (rows + vectors) / machine.loads_per_cycle) +
        PointerReloadCycles(machine, rows);
    const double iterations = static_cast<double>(w.weight[1]) / static_cast<double>(k.unroll_ic);
    const double tile = groups * step + iterations + blocks * (4 * rows * vectors + 2) + 2 * rows * vectors;
    const double quantising = static_cast<double>(w.data[0] * w.data[1]) * 0.5;
    const bool first = QuantisesFirst(w, k);
    const double compute = panels * tiles * tile;
    const double bytes = panels * static_cast<double>(BlockPanelBytes(w, k.oc_block));
    const double fetched = k.prefetch == 1 ? 1 : k.prefetch > 1 ? kWordsFetchedFar : kWordsNotFetched;
    const double rate =
        fetched * (machine.threads == 1 ? machine.cold_bytes_per_cycle : machine.shared_bytes_per_cycle);
    const double share = ThreadShare(static_cast<int64_t>(panels * tiles), machine.threads);
    const double rows_share = first ? ThreadShare(w.data[0], machine.threads) : 1;
    return (std::max(compute * share, bytes / rate + 0.05 * compute * share) + quantising * rows_share) /
               machine.clock_ghz +
           (first ? WakingNs(machine.threads) : 0);
  }
};

}  // namespace

const Schedule& DenseBlocksDot() {
  static const DenseBlockDots schedule;
  return schedule;
}

}  // namespace hone
