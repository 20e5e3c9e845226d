// The loop nest. The knob that cuts a loop is in brackets.
//
//   for panel of output columns [tile_oc x 16], for group of row tiles [tile_m]     the work items
//     sums = 0, or with bytes an offset per column
//     for 64 bytes of K
//       sums(p, v) += x(p) * w(v)                  prefetch: a share of the next panel
//     sums to the worker's workspace, epilogue, store
//
// One register tile, here of tile_m=32 and tile_oc=2. A box is a tile register:
//
//                                           w(0)         w(1)         16 output columns each
//   x(0): 64 bytes of K of up to 16 rows  sums(0, 0)   sums(0, 1)
//   x(1): those of the next rows          sums(1, 0)   sums(1, 1)
//
// 64 bytes are 32 elements of bfloat16, which are multiplied in pairs, or 64 bytes, multiplied in fours: see
// TileProduct. Data and output are plain row-major matrices: a tile of x is loaded with the rows' own stride. Weights
// are packed NK{tile_oc}n16k16n2k or NK{tile_oc}n16k16n4k, [panel][64 bytes of K][tile_oc][16 groups][16
// columns][group], so a tile reads its panel from front to back. Row tiles have equal heights. The last one ends with
// the last row, and rows that it shares with the tile before are stored only by that one.
//
// One tile of w, here of bytes; a row is 64 bytes:
//
//               column 0      column 1             column 15
//   row 0     | k0 k1 k2 k3 | k0 k1 k2 k3 | .. | k0 k1 k2 k3  |     x row r: | k0 k1 k2 .. k63 | of matrix row r
//   row 1     | k4 .. k7    | k4 .. k7    | .. | k4 .. k7     |     sums[r][n] += sum over k of x[r][k] * w[k][n]
//   ..
//   row 15    | k60 .. k63  | k60 .. k63  | .. | k60 .. k63   |
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv2d_amx.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/matmul_tile_registers.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/packed_bytes.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/parts/tile_row.h"
#include "compiler/schedules/parts/weight_prefetch.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

struct DenseAmxKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Tiles of 16 output columns in one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 6}, Always<1, 2, 3, 4>);
  // Rows of one register tile, in tiles of up to 16.
  int64_t tile_m = Row("tile_m", 16, {16, 96, 16}, Always<16, 32, 48>);
  // 0: rows of one panel first (weights stay near); 1: panels of the same rows first (data stay near).
  int64_t loop_order = Row("loop_order", 0, {0, 1}, Always<0, 1>);
  // 1: the next panel is fetched while the present one is used.
  int64_t prefetch = Row("prefetch", 0, {0, 1}, Always<0, 1>);
};

// The extents that the knobs give a shape.
struct DenseAmxNest {
  int64_t M, K, N;
  int64_t row;             // elements of K in a tile's row
  int outputs, channels;   // tiles of a register tile: along rows, along columns
  int64_t tiles, width;    // row tiles, and the rows of each
  int64_t panels, groups;  // of columns and of row tiles

  DenseAmxNest(const Workload& w, const DenseAmxKnobs& k)
      : M(w.data[0]),
        K(w.data[1]),
        N(w.weight[0]),
        row(TileProductOf(w.types)->channels),
        outputs(static_cast<int>(k.tile_m / kTileColumns)),
        channels(static_cast<int>(k.tile_oc)),
        tiles(CeilDiv(M, kTileColumns)),
        width(CeilDiv(M, tiles)),
        panels(CeilDiv(N, k.tile_oc * kTileColumns)),
        groups(CeilDiv(tiles, outputs)) {}
  int64_t columns() const { return channels * int64_t{kTileColumns}; }
  int64_t depth() const { return K / row; }
  int64_t step_bytes() const { return channels * kFullTileBytes; }  // of weights
  int64_t scratch_bytes() const { return outputs * channels * kFullTileBytes; }
};

class DenseAmxEmitter {
 public:
  DenseAmxEmitter(KernelBuilder& builder, const Workload& w, const DenseAmxNest& nest, const DenseAmxKnobs& knobs,
                  const Epilogue& epilogue)
      : b_(builder),
        tiles_(builder),
        types_(w.types),
        nest_(nest),
        in_{nest.outputs, nest.channels},
        k_(knobs),
        epilogue_(epilogue) {}

  void Emit(const StageArgs& args) {
    LoadOperands(args);
    tiles_.Configure(in_.Heights(nest_.width));
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      const int64_t inner = k_.loop_order == 0 ? nest_.groups : nest_.panels;
      Value* first = b_.Div(item, inner);
      Value* second = b_.Mod(item, inner);
      SelectPanel(k_.loop_order == 0 ? first : second);
      pass_ = k_.loop_order == 0 ? second : b_.Index(0);
      Group(k_.loop_order == 0 ? second : first);
    });
    tiles_.Release();
  }

 private:
  void LoadOperands(const StageArgs& args) {
    data_ = b_.Operand(args, 0);
    data_stride_ = b_.BatchStride(args, 0);
    weight_ = b_.Operand(args, 1);
    scratch_ = b_.WorkerWorkspace(args);
    behind_ = ReadEpilogueAddresses(b_, args, epilogue_, 2);
  }

  void SelectPanel(Value* panel) {
    panel_ = panel;
    panel_w_ = b_.At(weight_, b_.Mul(panel, nest_.depth() * nest_.step_bytes()));
    of_panel_ = behind_.channels.Skip(b_, panel, nest_.columns());
  }

  // Emits one group of row tiles; the last group may have fewer.
  void Group(Value* group) {
    Value* first = b_.Mul(group, nest_.outputs);
    const int last = static_cast<int>(nest_.tiles - (nest_.groups - 1) * nest_.outputs);
    if (last == nest_.outputs) return Tiles(first, nest_.outputs);
    b_.If(
        b_.ir().CreateICmpEQ(group, b_.Index(nest_.groups - 1)), [&] { Tiles(first, last); },
        [&] { Tiles(first, nest_.outputs); });
  }

  void Tiles(Value* first, int outputs) {
    Vals starts, own;  // the first row of each tile, and the first row that is its own
    for (int p = 0; p < outputs; ++p) {
      Value* even = b_.Mul(b_.Add(first, p), nest_.width);
      starts.push_back(b_.Min(even, b_.Index(nest_.M - nest_.width)));
      own.push_back(b_.Sub(even, starts.back()));
      for (int v = 0; v < nest_.channels; ++v) Start(in_.Sums(p, v), v);
    }
    const WeightPrefetch prefetch(b_.machine(), k_.prefetch > 0 ? nest_.step_bytes() : 0,
                                  k_.loop_order == 0 ? nest_.groups : 1);
    b_.For(0, nest_.depth(), 1, [&](Value* k) {
      Value* w = b_.At(panel_w_, b_.Mul(k, nest_.step_bytes()));
      prefetch.Emit(b_, b_.At(panel_w_, nest_.depth() * nest_.step_bytes()), b_.Add(b_.Mul(pass_, nest_.depth()), k));
      for (int v = 0; v < nest_.channels; ++v) tiles_.Load(in_.Weights(v), b_.At(w, v * kFullTileBytes), kTileRowBytes);
      for (int p = 0; p < outputs; ++p) {
        Value* row = b_.At(data_, b_.Mul(Nth(starts, p), data_stride_));
        tiles_.LoadRows(in_.Rows(p), b_.At(row, b_.Mul(k, kTileRowBytes)), data_stride_);
        for (int v = 0; v < nest_.channels; ++v) {
          tiles_.MultiplyAdd(types_.data, types_.weight, in_.Sums(p, v), in_.Rows(p), in_.Weights(v));
        }
      }
    });
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < nest_.channels; ++v)
        tiles_.Store(in_.Sums(p, v), Scratch(p, v), nest_.channels * kTileRowBytes);
    }
    for (int p = 0; p < outputs; ++p) Finish(Nth(starts, p), Nth(own, p), p);
  }

  void Start(int sums, int channel) {
    if (of_panel_.offset == nullptr) return tiles_.Zero(sums);
    tiles_.Load(sums, b_.At(of_panel_.offset, channel * kTileRowBytes), 0);
  }

  // The columns of a row are neighbours in the scratch memory.
  Value* Scratch(int output, int channel) {
    return b_.At(scratch_, output * nest_.channels * kFullTileBytes + channel * kTileRowBytes);
  }

  void Finish(Value* start, Value* own, int p) {
    const int64_t last = nest_.N - (nest_.panels - 1) * nest_.columns();
    const auto rows = [&](int64_t columns) {
      b_.For(own, b_.Index(nest_.width), 1, [&](Value* r) { StoreRow(b_.Add(start, r), Scratch(p, 0), r, columns); });
    };
    if (last == nest_.columns()) return rows(last);
    b_.If(
        b_.ir().CreateICmpEQ(panel_, b_.Index(nest_.panels - 1)), [&] { rows(last); }, [&] { rows(nest_.columns()); });
  }

  void StoreRow(Value* row, Value* scratch, Value* r, int64_t columns) {
    Value* sums = b_.At(scratch, b_.Mul(r, nest_.channels * kTileRowBytes));
    Value* column = b_.Mul(panel_, Bytes(types_.output, nest_.columns()));
    Value* y = b_.At(behind_.Output(b_, row), column);
    Value* r_row = epilogue_.residual ? b_.At(behind_.Residual(b_, row), column) : nullptr;
    const bool packs =
        columns % kTileColumns == 0 && PacksBytes(epilogue_, types_, static_cast<int>(columns / kTileColumns));
    Vals unstored;
    for (int64_t first = 0; first < columns; first += kTileColumns) {
      const int lanes = static_cast<int>(std::min<int64_t>(kTileColumns, columns - first));
      Value* residual = r_row ? b_.At(r_row, Bytes(types_.output, first)) : nullptr;
      const EpilogueOperands operands = of_panel_.At(b_, first, residual);
      Value* sum = LoadElements(b_, types_.accumulator, b_.At(sums, Bytes(types_.accumulator, first)), lanes);
      if (packs) {
        unstored.push_back(EmitUnstored(b_, epilogue_, types_, sum, operands));
      } else {
        b_.Store(EmitEpilogue(b_, epilogue_, types_, sum, operands), b_.At(y, Bytes(types_.output, first)));
      }
    }
    if (packs) b_.Store(EmitPackedBytes(b_, epilogue_, unstored), y);
  }

  KernelBuilder& b_;
  MatrixTiles tiles_;
  const ElementTypes& types_;
  const DenseAmxNest& nest_;
  const MatmulTileRegisters in_;
  const DenseAmxKnobs& k_;
  const Epilogue& epilogue_;
  Value *data_ = nullptr, *data_stride_ = nullptr, *weight_ = nullptr, *scratch_ = nullptr;
  EpilogueAddresses behind_;
  Value *panel_ = nullptr, *panel_w_ = nullptr, *pass_ = nullptr;
  ChannelAddresses of_panel_;
};

// Shares that are not hidden: of cold weights without fetching ahead; of the lesser of weights and arithmetic with it.
// The last is the factor of fetching itself.
constexpr double kDenseAmxUnhiddenMemory = 0.8, kDenseAmxUnhidden = 0.1, kDenseAmxFetchAhead = 1.02;

class AmxDense : public KnobSchedule<DenseAmxKnobs> {
 public:
  std::string_view name() const override { return "dense_amx"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override { return TileProductOf(types) != nullptr; }
  // A step reads a full tile's row of each matrix row, and a few rows leave most of a tile empty.
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    const int64_t row = TileRow(w.types.data, machine);
    return w.op == "nn.dense" && Takes(w.types) && row > 0 && w.data[0] >= kLeastTileRows && w.data[1] % row == 0;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel&, const DenseAmxKnobs& k) const override {
    const DenseAmxNest nest(w, k);
    const int registers = nest.outputs * nest.channels + 1 + nest.channels;
    if (registers > MatrixTiles::kRegisters) {
      return fmt::format("the register tile needs {} of {} tiles", registers, MatrixTiles::kRegisters);
    }
    if (nest.outputs > nest.tiles) return "tile_m is more than the rows";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DenseAmxKnobs& k,
                                          const Epilogue& epilogue) const override {
    const std::string panel = k.tile_oc == 1 ? "" : fmt::format("{}n", k.tile_oc);
    const Layout weight = Layout::Parse(fmt::format("NK{}16k16n{}k", panel, TileProductOf(w.types)->group));
    std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, Layout::Parse("MK")},
                                        {OperandRole::kWeight, w.types.weight, w.weight, weight}};
    const Layout columns = Layout::Parse(fmt::format("N{}n", k.tile_oc * kTileColumns));
    AddChannelOperands(w, epilogue, columns, columns, operands);
    if (epilogue.residual) {
      operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), Layout::Parse("MN")});
    }
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse("MN")});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const DenseAmxKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const DenseAmxNest nest(w, k);
    builder.Stage(symbol, [&](const StageArgs& args) { DenseAmxEmitter(builder, w, nest, k, epilogue).Emit(args); });
    EmittedKernel kernel;
    kernel.stages.push_back({symbol, nest.panels * nest.groups, 1, nest.scratch_bytes()});
    kernel.boxes = {{0, 0, {{nest.panels, 1, 1, nest.columns()}, {nest.groups, 0, 1, nest.outputs * nest.width}}}};
    if (k.loop_order != 0) std::swap(kernel.boxes[0].axes[0], kernel.boxes[0].axes[1]);
    return kernel;
  }

  TileShape TileWith(const Workload& w, const MachineModel&, const DenseAmxKnobs& k) const override {
    const DenseAmxNest nest(w, k);
    TileShape tile;
    tile.rows = static_cast<double>(nest.outputs * nest.width);
    tile.vectors = nest.channels;
    tile.line = static_cast<double>(nest.M);
    tile.groups = static_cast<double>(nest.panels);
    const int64_t steps = nest.K / TileProductOf(w.types)->group;
    tile.steps = static_cast<double>(steps);
    tile.unroll = kTileColumns;
    tile.weight_bytes = static_cast<double>(nest.depth() * nest.channels * kFullTileBytes);
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, nest.M * nest.K));
    return tile;
  }

  // Bytes that are walked through before they are used again. If weights stay near these are the rows of all groups,
  // else the rows of one group and all weights.
  static TileStep StepOf(const Workload& w, const DenseAmxNest& nest, const DenseAmxKnobs& k) {
    const double width = static_cast<double>(nest.width), row_bytes = static_cast<double>(Bytes(w.types.data, nest.K));
    const double panel = static_cast<double>(nest.depth() * nest.step_bytes());
    const double together = row_bytes * width * nest.outputs, panels = static_cast<double>(nest.panels);
    TileStep step{static_cast<double>(nest.outputs), static_cast<double>(nest.channels), width, 0, panel + together};
    const double all_rows = row_bytes * static_cast<double>(nest.M);
    if (nest.panels > 1) step.rows_walk = panel + (k.loop_order == 0 ? all_rows : together);
    if (k.loop_order == 1 && nest.groups > 1) step.weights_walk = panel * panels + together;
    return step;
  }

  static double FinishCycles(const Workload& w, const DenseAmxNest& nest) {
    const bool bytes = w.types.output == DType::kUInt8;
    const double vector = bytes && nest.channels % 2 == 0 ? kFinishPackedCycles
                          : bytes                         ? kFinishBytesCycles
                                                          : kFinishFloatCycles;
    return kFinishRowCycles + vector * nest.channels;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DenseAmxKnobs& k) const override {
    const DenseAmxNest nest(w, k);
    const TileStep step = StepOf(w, nest, k);
    const double tile = static_cast<double>(nest.depth()) * TileStepCycles(machine, step) + kTileStartCycles +
                        step.outputs * (step.channels * kTileStoreCycles + step.width * FinishCycles(w, nest));
    const int64_t items = nest.panels * nest.groups;
    const double cycles = static_cast<double>(items) * tile * ThreadShare(items, machine.threads) + kStageStartCycles;
    const double memory =
        static_cast<double>(nest.panels * nest.depth() * nest.step_bytes()) / machine.cold_bytes_per_cycle;
    const double all =
        k.prefetch > 0 ? std::max(kDenseAmxFetchAhead * cycles, memory) + kDenseAmxUnhidden * std::min(cycles, memory)
                       : cycles + kDenseAmxUnhiddenMemory * memory;
    return all / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& DenseAmx() {
  static const AmxDense schedule;
  return schedule;
}

}  // namespace hone
