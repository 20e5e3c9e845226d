// The loop nest. The knob that cuts a loop is in brackets.
//
//   for panel of output columns [oc_block], for tile of rows [tile_m]    the work items, panel * row tiles + tile
//     acc = 0
//     for k of K [unroll_ic]
//       acc[p][v] += x(p) * w(v)                                         each w(v): prefetch 4 KiB * prefetch ahead
//     epilogue and store
//
// One register tile, here of tile_m=3 rows and an oc_block of two vectors. A box is a register of `lanes` columns:
//
//                            w(0)        w(1)        weight[panel][k]: oc_block neighbours
//   x(0): data[row    ][k]   acc[0][0]   acc[0][1]
//   x(1): data[row + 1][k]   acc[1][0]   acc[1][1]
//   x(2): data[row + 2][k]   acc[2][0]   acc[2][1]
//
// If data and weights are bfloat16, a step is a pair of neighbours along K, and the weights are NK{oc_block}n2k. With
// bytes it is four neighbours, and the weights are NK{oc_block}n4k. A box then holds int32, and x(p) is four bytes of
// one row, broadcast. For each column w(v) holds the four bytes that they are multiplied with. Sums of bytes may begin
// with an offset per column. One step of bytes:
//
//                    column 0      column 1      column 2
//   x(0), bytes    | k0 k1 k2 k3 | k0 k1 k2 k3 | k0 k1 k2 k3 | ..     four bytes of one row, in every lane
//   w(0), NK..n4k  | k0 k1 k2 k3 | k0 k1 k2 k3 | k0 k1 k2 k3 | ..     each column's own weights
//   acc[0][0]      | +4 products | +4 products | +4 products | ..     int32
//
// Weights of float16 are widened as they are loaded. The machine must have an instruction for it.
//
// Weights are packed NK{oc_block}n, [panel][k][column], so that a tile reads its panel from front to back. Data and
// output are plain row-major matrices. The last row tile may be shorter and the last panel narrower. Each has code of
// its own, so a kernel has up to four kinds of tile. In a last vector that the columns do not fill, the missing weights
// are zeros, and the lanes are stored one by one.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/dense_rows.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

std::vector<int64_t> Panels(const Workload&, const MachineModel& machine) {
  std::vector<int64_t> blocks;
  for (int64_t v : {1, 2, 3, 4, 6, 8, 12, 16}) blocks.push_back(v * machine.vector_lanes);
  return blocks;
}

std::vector<int64_t> TileRows(const Workload& w, const MachineModel&) {
  std::vector<int64_t> rows;
  for (int64_t m = 1; m <= std::min<int64_t>(w.data[0], 14); ++m) rows.push_back(m);
  return rows;
}

struct DenseKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Output columns of a packed panel of weights: one register tile's columns.
  int64_t oc_block = Row("oc_block", 8, {1, 512}, Panels);
  // Rows of one register tile.
  int64_t tile_m = Row("tile_m", 1, {1, 64}, TileRows);
  // Reduction steps per inner iteration.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 64}, Always<1, 2, 4, 8>);
  // Weights fetched ahead, in units of 4 KiB.
  int64_t prefetch = Row("prefetch", 0, {0, 64}, Always<0, 1, 2, 4>);
};

// kDenseColdShare is the share of the cold weights' rate that one thread reaches. kNotFetched is the factor without
// fetching on several threads. Measured with one row on the same core: 25088 x 4096, 9216 x 4096, 4096 x 1000, 2048 x
// 1000 and 1280 x 1000. On one thread they come at 35 to 50 GB/s, however much is fetched ahead (within 2 %). On two
// threads they come at 44 to 60 GB/s, and fetching gains 0 to 7 %.
constexpr double kDenseColdShare = 11.0 / 12, kNotFetched = 1.025;
constexpr double kDenseCacheShare = 0.7;  // share of a cache that holds data for reuse

// Whether these are products of bytes with an output that kernels can make of the sums: bytes, floats, or the sums.
bool AreBytes(const ElementTypes& t) {
  const bool made = t.output == DType::kUInt8 || t.output == DType::kFloat32 || t.output == DType::kInt32;
  return made && t == ByteTypes(t.output);
}

// Work items are (panel, row tile): panel * row_tiles + tile. Data and output are row-major; batch strides are row
// strides.
class DenseEmitter {
 public:
  DenseEmitter(KernelBuilder& builder, const Workload& w, const DenseKnobs& knobs, const Epilogue& epilogue)
      : b_(builder),
        M_(w.data[0]),
        dot_(DotGroup(w.types)),
        steps_(w.data[1] / dot_),
        N_(w.weight[0]),
        k_(knobs),
        types_(w.types),
        epilogue_(epilogue),
        x_step_(Bytes(w.types.data, dot_)),
        w_step_(Bytes(w.types.weight, knobs.oc_block * dot_)),
        lanes_(static_cast<int>(std::min<int64_t>(builder.lanes(), knobs.oc_block))),
        parts_(PartsOf(w.types, builder.machine())) {}

  void Emit(const StageArgs& args) {
    data_ = b_.Operand(args, 0);
    data_stride_ = b_.BatchStride(args, 0);
    weight_ = b_.Operand(args, 1);
    behind_ = ReadEpilogueAddresses(b_, args, epilogue_, 2);
    // Row tiles of one panel follow each other while the panel is in the cache.
    const int64_t row_tiles = CeilDiv(M_, k_.tile_m);
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value* panel = b_.Div(item, row_tiles);
      Value* tile = b_.Mod(item, row_tiles);
      const int64_t last_rows = M_ - (row_tiles - 1) * k_.tile_m;
      if (last_rows == k_.tile_m) return Panel(panel, tile, k_.tile_m);
      b_.If(
          b_.ir().CreateICmpEQ(tile, b_.Index(row_tiles - 1)), [&] { Panel(panel, tile, last_rows); },
          [&] { Panel(panel, tile, k_.tile_m); });
    });
  }

 private:
  // The last panel may be narrower than the others; its lanes past N exist only in the weights.
  void Panel(Value* panel, Value* tile, int64_t rows) {
    const int64_t panels = CeilDiv(N_, k_.oc_block);
    const int64_t last = N_ - (panels - 1) * k_.oc_block;
    if (last == k_.oc_block) return Tile(panel, tile, rows, last);
    b_.If(
        b_.ir().CreateICmpEQ(panel, b_.Index(panels - 1)), [&] { Tile(panel, tile, rows, last); },
        [&] { Tile(panel, tile, rows, k_.oc_block); });
  }

  void Tile(Value* panel, Value* tile, int64_t rows, int64_t columns) {
    const RegisterTile registers{static_cast<int>(rows), static_cast<int>(CeilDiv(columns, lanes_)), lanes_, parts_};
    Value* first_row = b_.Mul(tile, k_.tile_m);
    Value* x = b_.At(data_, b_.Mul(first_row, data_stride_));
    Value* w = b_.At(weight_, b_.Mul(panel, steps_ * w_step_));
    // Steps left over by unroll_ic are done one by one.
    const int64_t main = steps_ - steps_ % k_.unroll_ic;
    Vals acc = Reduce(registers, x, w, 0, main, k_.unroll_ic, StartValues(registers, panel));
    acc = Reduce(registers, x, w, main, steps_, 1, acc);
    StoreDenseTile(b_, epilogue_, types_, behind_, {registers, first_row, panel, k_.oc_block, columns}, acc);
  }

  Vals StartValues(const RegisterTile& registers, Value* panel) {
    if (behind_.channels.offset == nullptr) return registers.Zeros(b_, types_.accumulator);
    return registers.Offsets(b_, behind_.channels.Skip(b_, panel, k_.oc_block).offset);
  }

  Vals Reduce(const RegisterTile& registers, Value* x, Value* w, int64_t lo, int64_t hi, int64_t unroll,
              const Vals& start) {
    return b_.Loop(lo, hi, unroll, start, [&](Value* k, const Vals& in) {
      Vals acc = in;
      Value* xs = b_.At(x, b_.Mul(k, x_step_));
      Value* ws = b_.At(w, b_.Mul(k, w_step_));
      Vals rows{xs};
      for (int p = 1; p < registers.pixels; ++p) rows.push_back(b_.At(rows.back(), data_stride_));
      for (int64_t u = 0; u < unroll; ++u) {
        registers.Step(
            b_, acc, [&](int p) { return LoadData(b_.At(Nth(rows, p), u * x_step_)); },
            [&](int v) {
              Value* address = b_.At(ws, u * w_step_ + Bytes(types_.weight, int64_t{v} * lanes_ * dot_));
              if (k_.prefetch > 0) b_.Prefetch(b_.At(address, k_.prefetch * 4096));
              return LoadWeights(address);
            },
            StepOf(types_));
      }
      return acc;
    });
  }

  // Loads one step of a row: a pair of bfloat16, or four bytes, are as wide as a float.
  Value* LoadData(Value* ptr) {
    return dot_ > 1 ? LoadElements(b_, DType::kInt32, ptr, 1)
                    : LoadConverted(b_, types_.data, ptr, 1, types_.accumulator);
  }
  Value* LoadWeights(Value* ptr) {
    if (types_ == kHalfWeights) return LoadHalves(b_, ptr, lanes_);
    return dot_ > 1 ? LoadElements(b_, types_.weight, ptr, lanes_ * dot_)
                    : LoadConverted(b_, types_.weight, ptr, lanes_, types_.accumulator);
  }

  KernelBuilder& b_;
  int64_t M_;
  int dot_;        // elements along K that one step adds up
  int64_t steps_;  // along K
  int64_t N_;
  const DenseKnobs& k_;
  const ElementTypes& types_;
  const Epilogue& epilogue_;
  int64_t x_step_, w_step_;  // bytes from one step to the next: in a row, in a panel
  int lanes_, parts_;
  Value *data_ = nullptr, *data_stride_ = nullptr, *weight_ = nullptr;
  EpilogueAddresses behind_;
};

class Dense : public KnobSchedule<DenseKnobs> {
 public:
  std::string_view name() const override { return "dense_pack"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return AreFloats(types) || AreBytes(types) || types == kHalfWeights;
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    const bool loads = w.types != kHalfWeights || !machine.half_loads_feature.empty();
    return w.op == "nn.dense" && w.data[1] % DotGroup(w.types) == 0 && loads;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const DenseKnobs& k) const override {
    const int lanes = static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.oc_block));
    if (k.oc_block % lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", lanes);
    if (k.tile_m > w.data[0]) return "tile_m is more than the rows";
    if (k.unroll_ic > w.data[1] / DotGroup(w.types)) return "unroll_ic is more than the reduction";
    const RegisterTile tile{static_cast<int>(k.tile_m), static_cast<int>(k.oc_block / lanes), lanes,
                            PartsOf(w.types, machine)};
    if (auto spills = tile.Reject(machine)) return spills;
    if (tile.pixels * tile.vectors * k.unroll_ic > 640) return "more than 640 multiply-adds in a straight line";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DenseKnobs& k,
                                          const Epilogue& epilogue) const override {
    const std::string n = k.oc_block == 1 ? "" : fmt::format("{}n", k.oc_block);
    const std::string k2 = DotGroup(w.types) > 1 ? fmt::format("{}k", DotGroup(w.types)) : "";
    std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, Layout::Parse("MK")},
                                        {OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse("NK" + n + k2)}};
    const Layout columns = Layout::Parse("N" + n);
    AddChannelOperands(w, epilogue, columns, columns, operands);
    if (epilogue.residual)
      operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), Layout::Parse("MN")});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse("MN")});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const DenseKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    builder.Stage(symbol, [&](const StageArgs& args) { DenseEmitter(builder, w, k, epilogue).Emit(args); });
    EmittedKernel kernel;
    const int64_t panels = CeilDiv(w.weight[0], k.oc_block), row_tiles = CeilDiv(w.data[0], k.tile_m);
    kernel.stages.push_back({symbol, panels * row_tiles, 1, 0});
    kernel.boxes = {{0, 0, {{panels, 1, 1, k.oc_block}, {row_tiles, 0, 1, k.tile_m}}}};
    return kernel;
  }

  // The line is all rows.
  TileShape TileWith(const Workload& w, const MachineModel& machine, const DenseKnobs& k) const override {
    const int64_t lanes = std::min<int64_t>(machine.vector_lanes, k.oc_block);
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_m);
    tile.vectors = static_cast<double>(k.oc_block / lanes);
    tile.line = static_cast<double>(w.data[0]);
    tile.groups = static_cast<double>(CeilDiv(w.weight[0], k.oc_block));
    tile.steps = static_cast<double>(w.data[1] / DotGroup(w.types));
    tile.unroll = static_cast<double>(k.unroll_ic);
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, w.data[1] * k.oc_block));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, w.data[0] * w.data[1]));
    return tile;
  }

  // A panel is read from memory once, and then from a cache once per further row tile.
  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DenseKnobs& k) const override {
    const double vectors = static_cast<double>(CeilDiv(k.oc_block, machine.vector_lanes));
    const double panels = static_cast<double>(CeilDiv(w.weight[0], k.oc_block));
    const double tiles = static_cast<double>(CeilDiv(w.data[0], k.tile_m));
    const double rows = static_cast<double>(k.tile_m);
    const double steps = static_cast<double>(w.data[1] / DotGroup(w.types));
    const double fetch = k.prefetch > 0 ? vectors / machine.loads_per_cycle : 0;
    // A float16 vector is widened by the unit that multiplies.
    const double widening = w.types == kHalfWeights ? vectors : 0;
    const double products =
        std::max({(rows * vectors + widening) / machine.multiply_adds_per_cycle,
                  (rows + vectors) / machine.loads_per_cycle + fetch, machine.multiply_add_latency});
    // Bytes that are widened take two products and two sums, and each operand becomes two registers.
    const bool widened = w.types.whole() && PartsOf(w.types, machine) > 1;
    const double arithmetic = (widened ? 2 * products + rows + vectors : products) + PointerReloadCycles(machine, rows);
    const double step = std::max(arithmetic, PanelReadCycles(w, machine, k) / steps);
    const double compute =
        panels * tiles * (steps * (step + 1.0 / static_cast<double>(k.unroll_ic)) + 2 * rows * vectors);
    const double bytes = panels * static_cast<double>(Bytes(w.types.weight, w.data[1] * k.oc_block));
    const double first_read = machine.threads == 1
                                  ? bytes / (kDenseColdShare * machine.cold_bytes_per_cycle)
                                  : bytes / machine.shared_bytes_per_cycle * (k.prefetch > 0 ? 1 : kNotFetched);
    const double share = ThreadShare(static_cast<int64_t>(panels * tiles), machine.threads);
    return std::max(compute * share, first_read + 0.05 * compute * share) / machine.clock_ghz;
  }

  // A panel that the second cache does not hold comes again for every row tile, at the next level's rate.
  static double PanelReadCycles(const Workload& w, const MachineModel& machine, const DenseKnobs& k) {
    const auto panel = static_cast<double>(Bytes(w.types.weight, w.data[1] * k.oc_block));
    const bool stays = panel < kDenseCacheShare * static_cast<double>(machine.l2_bytes);
    return stays || w.data[0] <= k.tile_m ? 0 : panel / MovedBytesPerCycle(machine, panel, kDenseCacheShare);
  }
};

}  // namespace

const Schedule& DensePack() {
  static const Dense schedule;
  return schedule;
}

}  // namespace hone
