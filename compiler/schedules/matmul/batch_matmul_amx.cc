// The loop nest. The knob that cuts a loop is in brackets.
//
//   for product of the batch, for panel of output columns [tile_oc x 16], for group of row tiles [tile_m]
//     the above are the work items; when a worker begins a panel: weights -> workspace, in pairs along K
//     sums = 0
//     for 32 of K
//       sums(p, v) += x(p) * w(v)
//     store, through the workspace where rows are shared, narrowed or cut
//
// The register tile is the one drawn in dense_amx.cc. The difference is that the right matrix is computed, so this
// kernel packs it. The left matrix is read in place; K is its last axis. One packed panel, here of tile_oc=2; a box is
// a tile of 16 pairs of K by 16 columns, and is loaded with the panel's stride:
//
//                  column 0 .. 15      column 16 .. 31
//                +-------------------+-------------------+
//   k =  0,  1   | n0k0 n0k1 n1k0 .. | n16k0 n16k1 ..    |   each column has a pair of neighbours along K
//   k =  2,  3   | n0k2 n0k3 n1k2 .. | n16k2 n16k3 ..    |
//   ...          |       w(0)        |       w(1)        |
//   k = 30, 31   | n0k30 n0k31 ..    | n16k30 n16k31 ..  |
//                +-------------------+-------------------+
//   k = 32, 33   | the next step of 32                   |
#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "compiler/schedules/matmul/matmul_tile_registers.h"
#include "compiler/schedules/matmul/packed_panel.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kDepth = 32, kPairs = kDepth / kBFloatGroup;  // of K, in one tile

struct BatchMatmulAmxKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Tiles of 16 output columns in one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 6}, Always<1, 2, 3, 4>);
  // Rows of one register tile, in tiles of up to 16.
  int64_t tile_m = Row("tile_m", 16, {16, 96, 16}, Always<16, 32, 48>);
};

// The extents that the knobs give a shape.
struct AmxMatmulNest {
  MatmulShape shape;
  int outputs, channels;   // tiles of a register tile, along rows and along columns
  int64_t tiles, width;    // row tiles, and the rows of each; the last one may begin with rows of the one before
  int64_t panels, groups;  // of columns and of row tiles

  AmxMatmulNest(const Workload& w, const BatchMatmulAmxKnobs& k)
      : shape(w),
        outputs(static_cast<int>(k.tile_m / kTileColumns)),
        channels(static_cast<int>(k.tile_oc)),
        tiles(CeilDiv(shape.M, kTileColumns)),
        width(CeilDiv(shape.M, tiles)),
        panels(CeilDiv(shape.N, k.tile_oc * kTileColumns)),
        groups(CeilDiv(tiles, outputs)) {}
  int64_t columns() const { return channels * int64_t{kTileColumns}; }
  int64_t depth() const { return shape.K / kDepth; }
  int64_t step_bytes() const {
    return channels * kTileRowBytes;
  }  // of a pair of K in the packed panel, and of a row of sums
  int64_t panel_bytes() const { return shape.steps() * step_bytes(); }
  int64_t scratch_bytes() const { return outputs * channels * kFullTileBytes; }
};

class Emitter {
 public:
  Emitter(KernelBuilder& builder, const AmxMatmulNest& nest, const StageArgs& args)
      : b_(builder),
        tiles_(builder),
        nest_(nest),
        in_{nest.outputs, nest.channels},
        s_(nest.shape),
        args_(args),
        data_(builder, args, 0, s_.types.data, s_.data, 'M'),
        weight_(builder, args, 1, s_.types.weight, s_.weight, 'N'),
        out_(builder, args, 2, s_.types.output, s_.output, 'M'),
        packed_(builder.WorkerWorkspace(args)),
        scratch_(builder.At(packed_, nest.panel_bytes())) {}

  void Emit() {
    tiles_.Configure(in_.Heights(nest_.width));
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value* group = b_.Mod(item, nest_.groups);
      Value* panel = b_.Mod(b_.Div(item, nest_.groups), nest_.panels);
      product_ = b_.Div(item, nest_.groups * nest_.panels);
      auto& ir = b_.ir();
      is_new_ = ir.CreateOr(ir.CreateICmpEQ(group, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin));
      const int64_t last = s_.N - (nest_.panels - 1) * nest_.columns();
      if (last == nest_.columns()) return Panel(panel, group, last);
      b_.If(
          ir.CreateICmpEQ(panel, b_.Index(nest_.panels - 1)), [&] { Panel(panel, group, last); },
          [&] { Panel(panel, group, nest_.columns()); });
    });
    tiles_.Release();
  }

 private:
  // Columns past the matrix's are multiplied too, with any values, and not stored.
  void Panel(Value* panel, Value* group, int64_t columns) {
    first_column_ = b_.Mul(panel, nest_.columns());
    Value* w = b_.At(weight_.Matrix(b_, product_), b_.Mul(first_column_, weight_.row));
    const PanelPacking packing{
        s_.types, s_.K, kTileColumns, nest_.step_bytes(), weight_.row, weight_.column, s_.weights_are_neighbours()};
    b_.If(is_new_, [&] { packing.Emit(b_, w, packed_, columns); });
    Value* first = b_.Mul(group, nest_.outputs);
    const int last = static_cast<int>(nest_.tiles - (nest_.groups - 1) * nest_.outputs);
    if (last == nest_.outputs) return Tiles(first, last, columns);
    b_.If(
        b_.ir().CreateICmpEQ(group, b_.Index(nest_.groups - 1)), [&] { Tiles(first, last, columns); },
        [&] { Tiles(first, nest_.outputs, columns); });
  }

  // `outputs` tiles of rows, the first of them number `first`.
  void Tiles(Value* first, int outputs, int64_t columns) {
    Vals starts, own;  // the first row of each tile, and the first row that is its own
    for (int p = 0; p < outputs; ++p) {
      Value* even = b_.Mul(b_.Add(first, p), nest_.width);
      starts.push_back(b_.Min(even, b_.Index(s_.M - nest_.width)));
      own.push_back(b_.Sub(even, starts.back()));
      for (int v = 0; v < nest_.channels; ++v) tiles_.Zero(in_.Sums(p, v));
    }
    Value* x = data_.Matrix(b_, product_);
    b_.For(0, nest_.depth(), 1, [&](Value* k) {
      Value* w = b_.At(packed_, b_.Mul(k, kPairs * nest_.step_bytes()));
      for (int v = 0; v < nest_.channels; ++v) {
        tiles_.Load(in_.Weights(v), b_.At(w, v * kTileRowBytes), nest_.step_bytes());
      }
      for (int p = 0; p < outputs; ++p) {
        Value* rows = b_.At(x, b_.Mul(Nth(starts, p), data_.row));
        tiles_.LoadRows(in_.Rows(p), b_.At(rows, b_.Mul(k, kTileRowBytes)), data_.row);
        for (int v = 0; v < nest_.channels; ++v) {
          tiles_.MultiplyAdd(s_.types.data, in_.Sums(p, v), in_.Rows(p), in_.Weights(v));
        }
      }
    });
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < nest_.channels; ++v) tiles_.Store(in_.Sums(p, v), Scratch(p, v), nest_.step_bytes());
    }
    for (int p = 0; p < outputs; ++p) StoreRows(Nth(starts, p), Nth(own, p), p, columns);
  }

  // The columns of a row are neighbours in the scratch memory.
  Value* Scratch(int output, int channel) {
    return b_.At(scratch_, output * nest_.channels * kFullTileBytes + channel * kTileRowBytes);
  }

  void StoreRows(Value* start, Value* own, int p, int64_t columns) {
    const ElementTypes& types = s_.types;
    Value* y = b_.At(out_.Matrix(b_, product_), b_.Mul(first_column_, Bytes(types.output)));
    b_.For(own, b_.Index(nest_.width), 1, [&](Value* r) {
      Value* sums = b_.At(Scratch(p, 0), b_.Mul(r, nest_.step_bytes()));
      Value* row = b_.At(y, b_.Mul(b_.Add(start, r), out_.row));
      for (int64_t first = 0; first < columns; first += kTileColumns) {
        Value* sum = LoadElements(b_, types.accumulator, b_.At(sums, Bytes(types.accumulator, first)), kTileColumns);
        StoreLanes(b_, Converted(b_, sum, types.accumulator, types.output), types.output,
                   b_.At(row, Bytes(types.output, first)),
                   static_cast<int>(std::min<int64_t>(kTileColumns, columns - first)));
      }
    });
  }

  KernelBuilder& b_;
  MatrixTiles tiles_;
  const AmxMatmulNest& nest_;
  const MatmulTileRegisters in_;
  const MatmulShape& s_;
  const StageArgs& args_;
  MatmulOperand data_, weight_, out_;
  Value *packed_, *scratch_;
  Value *product_ = nullptr, *is_new_ = nullptr, *first_column_ = nullptr;
};

class BatchMatmulAmxSchedule : public KnobSchedule<BatchMatmulAmxKnobs> {
 public:
  std::string_view name() const override { return "batch_matmul_amx"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override { return AreFloats(types) && types.bfloat(); }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    if (!w.is_batch_matmul() || !machine.bfloat16_tiles || machine.vector_lanes != kTileColumns) return false;
    const MatmulShape shape(w);
    return shape.K % kDepth == 0 && shape.data.column == 1 && shape.M >= kLeastTileRows;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel&,
                                        const BatchMatmulAmxKnobs& k) const override {
    const AmxMatmulNest nest(w, k);
    const int registers = nest.outputs * nest.channels + 1 + nest.channels;
    if (registers > MatrixTiles::kRegisters) {
      return fmt::format("the register tile needs {} of {} tiles", registers, MatrixTiles::kRegisters);
    }
    if (nest.outputs > nest.tiles) return "tile_m is more than the rows";
    if (nest.columns() - kTileColumns >= nest.shape.N) return "tile_oc has a tile of no columns";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const BatchMatmulAmxKnobs&,
                                          const Epilogue&) const override {
    std::vector<KernelOperand> operands = ComputedOperands(w, Epilogue());
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse(w.OperandAxes(2))});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const BatchMatmulAmxKnobs& k,
                         const Epilogue&, const std::string& symbol) const override {
    const AmxMatmulNest nest(w, k);
    builder.Stage(symbol, [&](const StageArgs& args) { Emitter(builder, nest, args).Emit(); });
    EmittedKernel kernel;
    kernel.stages.push_back(
        {symbol, nest.shape.B * nest.panels * nest.groups, 1, nest.panel_bytes() + nest.scratch_bytes()});
    const int64_t group_rows = nest.outputs * nest.width;
    kernel.boxes = {{0, 0, {{nest.shape.B, 0}, {nest.panels, 2, 1, nest.columns()}, {nest.groups, 1, 1, group_rows}}}};
    return kernel;
  }

  TileShape TileWith(const Workload& w, const MachineModel&, const BatchMatmulAmxKnobs& k) const override {
    const AmxMatmulNest nest(w, k);
    TileShape tile;
    tile.rows = static_cast<double>(nest.outputs * nest.width);
    tile.vectors = nest.channels;
    tile.line = static_cast<double>(nest.shape.M);
    tile.groups = static_cast<double>(nest.panels);
    tile.steps = static_cast<double>(nest.shape.steps());
    tile.unroll = kTileColumns;
    tile.weight_bytes = static_cast<double>(nest.panel_bytes());
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, nest.shape.M * nest.shape.K));
    tile.workspace_bytes = static_cast<double>(nest.panel_bytes());
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const BatchMatmulAmxKnobs& k) const override {
    const AmxMatmulNest nest(w, k);
    const double width = static_cast<double>(nest.width), outputs = nest.outputs, channels = nest.channels;
    const double panel = static_cast<double>(nest.panel_bytes());
    const double together = static_cast<double>(Bytes(w.types.data, nest.shape.K)) * width * outputs;
    TileStep step{outputs, channels, width, 0, panel + together};
    if (nest.panels > 1) step.rows_walk = panel + static_cast<double>(Bytes(w.types.data, nest.shape.M * nest.shape.K));
    const double tile =
        static_cast<double>(nest.depth()) * TileStepCycles(machine, step) + kTileStartCycles +
        outputs * (channels * kTileStoreCycles + width * (kFinishRowCycles + channels * kFinishFloatCycles));
    const double pack = (nest.shape.weights_are_neighbours() ? kPanelCopyCycles : kPanelTransposeCycles) *
                        static_cast<double>(nest.shape.steps() * nest.columns());
    const int64_t panels = nest.shape.B * nest.panels;
    const double cycles = static_cast<double>(panels) * (static_cast<double>(nest.groups) * tile + pack);
    return (cycles * ThreadShare(panels * nest.groups, machine.threads) + kStageStartCycles) / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& BatchMatmulAmx() {
  static const BatchMatmulAmxSchedule schedule;
  return schedule;
}

}  // namespace hone
