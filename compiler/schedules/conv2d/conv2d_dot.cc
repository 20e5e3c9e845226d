#include "compiler/schedules/conv2d/conv2d_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/codegen/element.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

// Outputs per vector. For floats it may be one; their channels are converted as they are loaded.
int PixelsOf(const ElementTypes& types, const ConvShape& s) {
  const int dot = DotGroup(types);
  return types.whole() || (s.stride_w == 1 && s.OW >= dot) ? dot : 1;
}

class Dot : public KnobSchedule<DotKnobs> {
 public:
  std::string_view name() const override { return "conv2d_dot"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return AreFloats(types) || types == ByteTypes(DType::kUInt8) || types == ByteTypes(DType::kFloat32) ||
           types == ByteTypes(DType::kInt32);
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    const int64_t lanes = machine.vector_lanes;
    if (!w.is_conv() || w.groups != 1 || w.prologue != Prologue::kNone) return false;
    const ConvShape s(w);
    const int dot = DotGroup(w.types);
    if (w.types.whole() && (s.stride_w != 1 || s.OW < dot)) return false;
    return std::has_single_bit(static_cast<uint64_t>(lanes)) && lanes >= dot && s.O < lanes && s.C >= lanes;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const DotKnobs& k) const override {
    if (k.ic_block != machine.vector_lanes) return fmt::format("ic_block is not the {} lanes", machine.vector_lanes);
    const DotNest nest(w, machine, k);
    if (nest.shape.O % k.tile_oc != 0) return "tile_oc does not divide the output channels";
    if (k.tile_ow > nest.shape.OW) return "tile_ow is wider than a row";
    if (k.tile_ow % nest.pixels != 0) return fmt::format("tile_ow is not a multiple of a vector's {}", nest.pixels);
    return nest.Registers(k.tile_ow).Reject(machine);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DotKnobs& k,
                                          const Epilogue& epilogue) const override {
    const Layout data = Layout::Parse(fmt::format("NCHW{}c", k.ic_block)), out = Layout::Parse("NCHW");
    std::vector<KernelOperand> operands{
        {OperandRole::kData, w.types.data, w.data, data},
        {OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse(fmt::format("OIHW{}i", k.ic_block))}};
    AddChannelOperands(w, epilogue, Layout::Parse("O"), Layout::Parse("CHW"), operands);
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), out});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), out});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const DotKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    return EmitConv2dDot(builder, DotNest(w, machine, k), epilogue, symbol);
  }

  TileShape TileWith(const Workload& w, const MachineModel& machine, const DotKnobs& k) const override {
    return DotNest(w, machine, k).Tile();
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DotKnobs& k) const override;
};

// The estimate's constants, in cycles, were fitted to 398 cold times of fifteen float layers on a Zen 4 core with
// AVX-512. Its default takes 2 % more time than the best config.
constexpr double kDotLeastStep = 1.25;  // multiply-add latencies per tap
constexpr double kProductApart = 0.95;  // for a product and its sum if they are not fused: with SSE on that core
constexpr double kSpilledTap = 2;       // per register that a tap at a border lacks
constexpr double kDotLaneSum = 2;       // per vector
constexpr double kRunStore = 4;         // per run of outputs that is stored
constexpr double kDotRowInput = 0.2;    // visible share of a row's first touch of its input
constexpr double kDotCacheShare = 0.9;  // share of a cache that holds data for reuse

// At a border all taps of all outputs are one straight line, and code generation keeps each input that two of them
// read.
double SpilledRegisters(const DotNest& nest, const RegisterTile& tile, const MachineModel& machine) {
  if (nest.shape.KW == 1) return 0;
  return std::max(0, tile.pixels * tile.vectors + tile.pixels + 2 - machine.vector_registers);
}

double TapCycles(const DotNest& nest, const RowTile& part, const MachineModel& machine) {
  const RegisterTile tile = nest.Registers(part.width);
  const double pixels = tile.pixels, vectors = tile.vectors;
  double step = StepCycles(machine, pixels, vectors, kDotLeastStep * machine.multiply_add_latency);
  if (!machine.has_fma) step = kProductApart * pixels * vectors;
  if (nest.pixels > 1 && nest.types.bfloat()) {
    step = std::max(step, machine.bfloat_dot_cost * pixels * vectors / machine.multiply_adds_per_cycle);
  }
  if (nest.parts > 1) step = 2 * step + pixels + vectors;
  return step + (part.border ? kSpilledTap * SpilledRegisters(nest, tile, machine) : 0);
}

// Cycles of one row of outputs of one group of channels.
double RowCycles(const DotNest& nest, const MachineModel& machine) {
  constexpr double kFinishWhole = 6, kFinishNarrow = 3;  // per run: scaling, rounding and narrowing; or only narrowing
  const double narrowed = nest.types.whole() ? kFinishWhole : nest.types.output == DType::kBFloat16 ? kFinishNarrow : 0;
  const double steps = nest.Tile().steps;
  double cycles = 0;
  for (const RowTile& part : nest.Tiles()) {
    const RegisterTile tile = nest.Registers(part.width);
    const int longest = tile.lanes / nest.pixels, last = tile.pixels % longest;
    const int runs = tile.pixels / longest + std::popcount(static_cast<unsigned>(last));
    const double finish = tile.vectors * (kDotLaneSum * tile.pixels + (kRunStore + narrowed) * runs);
    cycles += static_cast<double>(part.count) * (steps * TapCycles(nest, part, machine) + finish);
  }
  return cycles;
}

// Every operand of a step is loaded, none is broadcast. The first group of channels fetches a row's new inputs, and the
// other groups then read them from a near cache.
double Dot::EstimateNsWith(const Workload& w, const MachineModel& machine, const DotKnobs& k) const {
  const DotNest nest(w, machine, k);
  const ConvShape& s = nest.shape;
  const TileShape tile = nest.Tile();
  const auto moved = [&](double bytes, double footprint) {
    return bytes / MovedBytesPerCycle(machine, footprint, kDotCacheShare);
  };
  const double line = tile.input_bytes / static_cast<double>(s.KH);
  const double row = RowCycles(nest, machine), near = moved(tile.input_bytes, tile.input_bytes);
  const double first = row + kDotRowInput * moved(line, line * static_cast<double>(s.H));
  const double cycles = first + (tile.groups - 1) * std::max(row, near);
  const int64_t items = s.N * s.OH;
  return cycles * static_cast<double>(items) * ThreadShare(items, machine.threads) / machine.clock_ghz;
}

}  // namespace

std::vector<int64_t> DotKnobs::InputBlocks(const Workload&, const MachineModel& machine) {
  return {machine.vector_lanes};
}

std::vector<int64_t> DotKnobs::ChannelsOfTile(const Workload& w, const MachineModel&) {
  std::vector<int64_t> divisors;
  for (int64_t d = w.weight[0]; d >= 1; --d) {
    if (w.weight[0] % d == 0) divisors.push_back(d);
  }
  return divisors;
}

std::vector<int64_t> DotKnobs::TileWidths(const Workload& w, const MachineModel& machine) {
  constexpr int64_t kMost = 64;
  const ConvShape s(w);
  const int64_t pixels = PixelsOf(w.types, s);
  std::vector<int64_t> widths;
  for (int64_t t = pixels; t <= std::min({pixels * (machine.vector_registers - 2), s.OW, kMost}); t += pixels) {
    widths.push_back(t);
  }
  return widths;
}

DotNest::DotNest(const Workload& workload, const MachineModel& machine, const DotKnobs& k)
    : shape(workload), types(workload.types), knobs(k) {
  in_blocks = CeilDiv(shape.C, k.ic_block);
  pixels = PixelsOf(types, shape);
  parts = pixels == 1 ? 1 : PartsOf(types, machine);
  row = {shape.OW, shape.W, shape.KW, shape.stride_w, shape.pad_l, shape.dil_w};
}

std::vector<RowTile> DotNest::Tiles() const {
  std::vector<RowTile> tiles = CutRow(row, knobs.tile_ow);
  RowTile& last = tiles.back();
  last.width = CeilDiv(last.width, pixels) * pixels;
  last.start = std::min(last.start, shape.OW - last.count * last.width);
  last.border = last.border || !TapInside(row, last.start, 0);
  return tiles;
}

RegisterTile DotNest::Registers(int64_t outputs) const {
  return {static_cast<int>(outputs / pixels), static_cast<int>(knobs.tile_oc), static_cast<int>(knobs.ic_block), parts};
}

TileShape DotNest::Tile() const {
  const int64_t taps = shape.KH * shape.KW, channels = in_blocks * knobs.ic_block;
  const int64_t vectors = knobs.tile_ow / pixels, groups = shape.O / knobs.tile_oc;
  TileShape tile;
  tile.rows = static_cast<double>(vectors);
  tile.vectors = static_cast<double>(knobs.tile_oc);
  tile.line = static_cast<double>(CeilDiv(shape.OW, pixels));
  tile.groups = static_cast<double>(groups);
  tile.steps = static_cast<double>(taps * in_blocks);
  tile.weight_bytes = static_cast<double>(Bytes(types.weight, taps * channels * knobs.tile_oc));
  tile.input_bytes = static_cast<double>(Bytes(types.data, shape.KH * shape.W * channels));
  return tile;
}

const Schedule& Conv2dDot() {
  static const Dot schedule;
  return schedule;
}

}  // namespace hone
