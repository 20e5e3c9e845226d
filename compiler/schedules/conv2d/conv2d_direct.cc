#include "compiler/schedules/conv2d/conv2d_direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/codegen/element.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/row_tiles.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kMaxStraightLineFmas = 640;

// A prologue can only be applied to the rows of a pointwise convolution, once for all its output channels.
bool TakesPrologue(const ConvShape& s) {
  const bool padded = s.pad_t > 0 || s.pad_l > 0 || s.pad_b > 0 || s.pad_r > 0;
  return s.KH == 1 && s.KW == 1 && !padded && s.groups == 1 && s.C >= 16;
}

// Whether each group's channels begin at the start of a step.
bool InSteps(const ConvShape& s, int dot) { return s.groups == 1 || s.group_in % dot == 0; }

class Direct : public KnobSchedule<DirectKnobs> {
 public:
  std::string_view name() const override { return "conv2d_direct"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return AreFloats(types) || types == ByteTypes(DType::kUInt8) || types == ByteTypes(DType::kFloat32) ||
           types == ByteTypes(DType::kInt32);
  }
  bool Applies(const Workload& w, const MachineModel&) const override {
    if (!w.is_conv() || w.is_depthwise()) return false;
    const int dot = DotGroup(w.types);
    if (dot > 1 && (w.prologue != Prologue::kNone || !InSteps(ConvShape(w), dot))) return false;
    return w.prologue == Prologue::kNone || TakesPrologue(ConvShape(w));
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const DirectKnobs& k) const override {
    if (w.prologue != Prologue::kNone && (k.loop_order != 1 || k.ic_block % machine.vector_lanes != 0)) {
      return fmt::format("a prologue needs loop_order=1 and an ic_block of whole vectors of {}", machine.vector_lanes);
    }
    if (k.ic_chunk > 0 && (w.types.whole() || w.types.output != w.types.accumulator)) {
      return "ic_chunk keeps partial sums in the output, of floats";
    }
    return RejectShape(DirectNest(w, machine, k), machine);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DirectKnobs& k,
                                          const Epilogue& epilogue) const override {
    const auto blocked = [](int64_t block, const char* letter) {
      return block == 1 ? std::string() : fmt::format("{}{}", block, letter);
    };
    const Layout data = Layout::Parse("NCHW" + blocked(k.ic_block, "c"));
    const Layout out = Layout::Parse("NCHW" + blocked(k.oc_block, "c"));
    const int64_t dot = DotGroup(w.types);
    const Layout weight = Layout::Parse("OIHW" + blocked(k.ic_block / dot, "i") + blocked(k.tile_oc * k.oc_block, "o") +
                                        blocked(dot, "i"));
    std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, data}};
    if (w.prologue != Prologue::kNone) {
      const Layout channels = Layout::Parse("CHW" + blocked(k.ic_block, "c"));
      operands.push_back({OperandRole::kScale, DType::kFloat32, {w.data[1], 1, 1}, channels});
      operands.push_back({OperandRole::kShift, DType::kFloat32, {w.data[1], 1, 1}, channels});
    }
    operands.push_back({OperandRole::kWeight, w.types.weight, w.weight, weight});
    const Layout outputs = Layout::Parse("O" + blocked(k.oc_block, "o"));
    AddChannelOperands(w, epilogue, outputs, Layout::Parse("CHW" + blocked(k.oc_block, "c")), operands);
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), out});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), out});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const DirectKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    return EmitConv2dDirect(builder, DirectNest(w, machine, k), epilogue, symbol);
  }

  TileShape TileWith(const Workload& w, const MachineModel& machine, const DirectKnobs& k) const override {
    return DirectNest(w, machine, k).Tile();
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DirectKnobs& k) const override;

  static std::optional<std::string> RejectShape(const DirectNest& nest, const MachineModel& machine) {
    const ConvShape& s = nest.shape;
    const DirectKnobs& k = nest.knobs;
    if (k.ic_block % nest.dot != 0 || k.unroll_ic % nest.dot != 0) {
      return fmt::format("ic_block and unroll_ic are multiples of the {} channels of one step", nest.dot);
    }
    if (s.groups > 1 && (s.group_out % k.oc_block != 0 || s.group_in % k.ic_block != 0)) {
      return fmt::format("a block straddles two groups of {} and {} channels", s.group_in, s.group_out);
    }
    if (k.ic_block % k.unroll_ic != 0) return "unroll_ic does not divide ic_block";
    const bool may_be_short = s.groups == 1 && k.ic_chunk == 0 && !nest.types.whole();
    if (CeilDiv(s.group_out, k.oc_block) % k.tile_oc != 0 && !may_be_short)
      return "tile_oc does not divide the output blocks of a group";
    if (k.oc_block % nest.lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", nest.lanes);
    if (k.tile_oh > 1 && !s.pointwise()) return "tile_oh joins rows of pointwise convolutions only";
    if (s.OH % k.tile_oh != 0) return "tile_oh does not divide the output rows";
    if (k.tile_ow > s.OW * k.tile_oh) return "tile_ow is wider than a row";
    if (k.ic_chunk >= CeilDiv(s.group_in, k.ic_block)) return "ic_chunk is not less than the input blocks";
    if (k.ic_chunk > 0 && k.loop_order == 1) return "ic_chunk needs loop_order=0";
    if (k.column_items > 0 && k.tile_oh > 1) return "joined rows have no column_items";
    if (k.column_items > 0 && nest.widened) return "column_items would widen a row's input several times";
    const RegisterTile tile = nest.Registers(k.tile_ow);
    // Broadcasts from memory or from a lane need no register of their own, but addresses and borders need some.
    if (auto spills = tile.Reject(machine)) return spills;
    // All taps of a tile at a border are in a straight line.
    const int64_t taps = s.pad_l > 0 || s.pad_r > 0 ? s.KW : std::min(s.KW, kMostTapsInLine);
    const int64_t fmas = int64_t{tile.pixels} * tile.vectors * (k.unroll_ic / nest.dot) * taps;
    if (fmas > kMaxStraightLineFmas * (k.unroll_ic == nest.dot ? 4 : 1)) {
      return fmt::format("{} multiply-adds in a straight line are more than {}", fmas, kMaxStraightLineFmas);
    }
    return std::nullopt;
  }
};

// The estimate's constants were fitted to cold-weight times of layers of ResNet-50 and MobileNetV2. They were measured
// on a Zen 5 core with AVX-512 and are in tests/data/spaces; docs/why/tuning.md says how close the estimate comes.
constexpr double kDirectCacheShare = 0.9;    // share of a cache that holds data for reuse
constexpr double kDirectLeastStep = 1.2125;  // multiply-add latencies per reduction step: not perfectly scheduled
constexpr double kChunkStart = 4;            // cycles per register tile and chunk
constexpr double kSumStore = 0.5;            // cycles per accumulator to store it
constexpr double kPartial = 0.8;             // cycles per accumulator to store and load it between chunks
constexpr double kDirectUnhidden = 0.08;     // visible share of the lesser of arithmetic and weights
constexpr double kUnroll = 0.05;             // cycles per inner iteration
constexpr double kUnrollThin = 0.4;          // cycles per inner iteration, with the taps in a straight line
constexpr double kDirectRowInput = 0.1;  // visible share of a row's first touch of its input, with weights that stay
constexpr double kRowWeights = 0.25;     // visible share of a row's first touch of its weights, with input that stays
constexpr double kInputStays = 1.01;     // factor of loop_order 1 against 0
constexpr double kDirectFetchAhead = 0.97;  // factor of prefetch against none, beside the memory time it hides
constexpr double kDirectUnhiddenMemory = 0.8;

// Cycles that one core needs to stream `bytes` again and again from the level that holds `footprint`.
double StreamCycles(const MachineModel& machine, double footprint, double bytes) {
  const bool near = footprint < kDirectCacheShare * static_cast<double>(machine.l1_bytes);
  return bytes / (near ? machine.loads_per_cycle * static_cast<double>(Bytes(DType::kFloat32, machine.vector_lanes))
                       : MovedBytesPerCycle(machine, footprint, kDirectCacheShare));
}

// If the taps are in a straight line, code generation loads the next ones early. A tile that fills the registers then
// spills.
//
// Taps that share input columns keep these in registers, too. A tile of one vector then suddenly spills. On an Emerald
// Rapids core, 6x6 taps of stride 2 take 4.5 ms with 12 pixels and 6.8 ms with 13. With 3x3 taps it is 0.71 ms with 16
// and 1.2 ms with 22.
double SpillRisk(const DirectNest& nest, const MachineModel& machine) {
  constexpr double kHeldColumns = 1.5, kMostHeld = 1.3;  // factor of time; registers, over those of the machine
  if (!nest.TapsInLine()) return 1;
  const ConvShape& s = nest.shape;
  const auto held = static_cast<double>(nest.knobs.tile_ow + (nest.knobs.tile_ow - 1) * s.stride_w + s.KW + 1);
  const bool shares = s.KW > s.stride_w && machine.broadcast == Broadcast::kMemory;
  if (shares && nest.vectors() == 1 && held > kMostHeld * machine.vector_registers) return kHeldColumns;
  const double excess =
      static_cast<double>(nest.Registers(nest.knobs.tile_ow).registers()) / machine.vector_registers - 0.75;
  return excess > 0 ? 1 + 10 * excess * excess : 1;
}

// On machines with 32 wide registers, a tile that takes more than half leaves few for operands in flight: up to 17 %
// more cycles. Machines with 16 have no such choice. There a tile with one vector of weights that takes all registers
// spills between the taps: code generation loads several of its many broadcasts ahead. Without taps it waits already
// where one register is left. On a Zen 3 core, a multiply-add of a 1x1 convolution takes 1.2 times as long in tiles of
// 13 pixels as in those of 8 to 12.
double Crowding(const DirectNest& nest, const MachineModel& machine, int64_t pixels) {
  constexpr double kSpilled = 1.2, kWaits = 1.12;
  if (nest.TapsInLine()) return 1;
  const RegisterTile tile = nest.Registers(pixels);
  if (machine.vector_registers < 32) {
    const int left = machine.vector_registers - tile.registers();
    if (tile.vectors > 1 || left > 1) return 1;
    return nest.shape.pointwise() ? kWaits : left > 0 ? 1 : kSpilled;
  }
  return 1 + 0.14 / 12 * std::max(0, tile.registers() - 17);
}

// One step of a tile. If bytes are widened beforehand, it is two steps of products. Beside them each accumulator takes
// two sums and each vector of weights three shifts; a sum waits only for the previous sum. If the step itself widens,
// each operand becomes two registers.
double Steps(const DirectNest& nest, const MachineModel& machine, double pixels, double vectors) {
  constexpr double kSumLatency = 1, kShifts = 0.75;
  if (nest.widened) return 2 * StepCycles(machine, pixels, vectors, kDirectLeastStep * kSumLatency) + kShifts * vectors;
  double step = StepCycles(machine, pixels, vectors, kDirectLeastStep * machine.multiply_add_latency);
  if (nest.types.bfloat()) {
    step = std::max(step, machine.bfloat_dot_cost * pixels * vectors / machine.multiply_adds_per_cycle);
  }
  return nest.parts == 1 ? step : 2 * step + (pixels + vectors);
}

// Cycles of one register tile: weights stream while the arithmetic runs.
double TileCycles(const DirectNest& nest, const MachineModel& machine, const TileShape& pass, int64_t width) {
  const DirectKnobs& k = nest.knobs;
  const double pixels = static_cast<double>(width), vectors = nest.vectors(), chunks = static_cast<double>(nest.chunks);
  const double step = Steps(nest, machine, pixels, vectors) * Crowding(nest, machine, width);
  const double weights = chunks * StreamCycles(machine, pass.weight_bytes, pass.weight_bytes);
  const double arithmetic = pass.steps * step;
  const double iterations =
      pass.steps / static_cast<double>(k.unroll_ic / nest.dot) * (nest.TapsInLine() ? kUnrollThin : kUnroll);
  const double moved = pixels * vectors * (kSumStore + kPartial * (chunks - 1));
  return std::max(arithmetic, weights) + kDirectUnhidden * std::min(arithmetic, weights) + iterations +
         kChunkStart * chunks + static_cast<double>(nest.shape.KH * nest.shape.KW) - 1 + moved;
}

// Cycles of all tiles of a row, and of its first touch of weights and input. The loop order decides which of the two
// stays.
double RowCycles(const DirectNest& nest, const MachineModel& machine, const TileShape& pass) {
  const int64_t width = nest.knobs.tile_ow, rest = nest.row_width % width;
  double cycles = static_cast<double>(nest.row_width / width) * TileCycles(nest, machine, pass, width);
  if (rest > 0) cycles += TileCycles(nest, machine, pass, rest);
  cycles *= SpillRisk(nest, machine);
  const double item_weights = pass.weight_bytes * static_cast<double>(nest.chunks);
  if (nest.knobs.loop_order == 1) {
    const double walked = item_weights * static_cast<double>(nest.groups_of_blocks) + pass.input_bytes;
    const double parts = static_cast<double>(nest.RowParts());
    return kInputStays * cycles + parts * kRowWeights * StreamCycles(machine, walked, item_weights);
  }
  return cycles + kDirectRowInput * StreamCycles(machine, pass.input_bytes * static_cast<double>(nest.rows),
                                                 pass.input_bytes / static_cast<double>(nest.shape.KH));
}

// Cycles to read a row's bytes and store them widened, once or for every group of output blocks.
double WidenCycles(const DirectNest& nest, const MachineModel& machine) {
  constexpr double kVector = 1;  // cycles to store one
  if (!nest.widened) return 0;
  const ConvShape& s = nest.shape;
  const double rows = static_cast<double>(s.N * nest.rows * (nest.knobs.loop_order == 1 ? 1 : nest.groups_of_blocks));
  const double bytes = static_cast<double>(nest.PanelBlocks() * nest.knobs.ic_block * nest.row_input * s.KH);
  return kVector * rows * bytes / (2 * machine.vector_lanes) / std::max(machine.threads, 1);
}

// Cycles that no config changes: integer sums are scaled, rounded and narrowed, and floats may be narrowed.
double FinishCycles(const DirectNest& nest, const Workload& w, const MachineModel& machine) {
  constexpr double kFinishWhole = 6, kResidualWhole = 6;    // per vector
  constexpr double kFinishNarrow = 3, kResidualNarrow = 2;  // the same
  const bool whole = nest.types.whole();
  if (!whole && nest.types.output != DType::kBFloat16) return 0;
  const double residual = whole ? kResidualWhole : kResidualNarrow;
  const double finish =
      (whole ? kFinishWhole : kFinishNarrow) + (w.epilogue == EpilogueClass::kResidual ? residual : 0);
  const double vectors = static_cast<double>(CeilDiv(nest.shape.O, machine.vector_lanes));
  return finish * vectors * static_cast<double>(nest.shape.N * nest.shape.OH * nest.shape.OW) /
         std::max(machine.threads, 1);
}

double Direct::EstimateNsWith(const Workload& w, const MachineModel& machine, const DirectKnobs& k) const {
  const DirectNest nest(w, machine, k);
  const ConvShape& s = nest.shape;
  const TileShape pass = nest.Tile();
  double compute = static_cast<double>(s.N * nest.rows * nest.groups_of_blocks) * RowCycles(nest, machine, pass);
  if (w.prologue != Prologue::kNone)
    compute += 2.0 * static_cast<double>(s.N * nest.rows * nest.row_width * nest.in_blocks);
  compute *= ThreadShare(s.N * nest.rows * nest.groups_of_blocks, machine.threads);
  // In a network every weight comes from memory once, overlapped with the arithmetic if it is fetched ahead.
  const double memory =
      pass.weight_bytes * static_cast<double>(nest.chunks * nest.groups_of_blocks) / machine.cold_bytes_per_cycle;
  const double cycles =
      nest.knobs.prefetch ? std::max(kDirectFetchAhead * compute, memory) : compute + kDirectUnhiddenMemory * memory;
  return (cycles + WidenCycles(nest, machine) + FinishCycles(nest, w, machine)) / machine.clock_ghz;
}

}  // namespace

DirectNest::DirectNest(const Workload& workload, const MachineModel& machine, const DirectKnobs& k)
    : shape(workload), types(workload.types), prologue(workload.prologue), knobs(k) {
  lanes = static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.oc_block));
  widened = types.whole() && machine.byte_dots == ByteDots::kPairs;
  parts = widened ? 1 : PartsOf(types, machine);
  dot = DotGroup(types);
  rows = shape.OH / k.tile_oh;
  row_width = shape.OW * k.tile_oh;
  row_input = shape.W * k.tile_oh;
  in_blocks = CeilDiv(shape.group_in, k.ic_block);
  out_blocks = shape.groups * CeilDiv(shape.group_out, k.oc_block);
  groups_of_blocks = CeilDiv(out_blocks, k.tile_oc);
  chunks = k.ic_chunk == 0 ? 1 : CeilDiv(in_blocks, k.ic_chunk);
}

// Joined rows are pointwise.
RowShape DirectNest::Row() const {
  if (knobs.tile_oh > 1) return {row_width, row_input, 1, 1, 0, 1};
  return {row_width, row_input, shape.KW, shape.stride_w, shape.pad_l, shape.dil_w};
}

RegisterTile DirectNest::Registers(int64_t pixels) const {
  return {static_cast<int>(pixels), vectors(), lanes, parts, widened};
}

bool DirectNest::TapsInLine() const { return !widened && knobs.ic_block < 4 * dot; }

// If two taps read the same inputs, code generation would keep these in registers. A tile on 16 registers, or one whose
// steps have two halves, has none to spare. It keeps nothing from one channel loop to the next, so a block is at least
// two steps of such a loop.
int64_t DirectNest::UnrollAtBorder(const MachineModel& machine) const {
  if (widened) return dot;
  if (machine.vector_registers >= 32) return knobs.unroll_ic;
  return std::min(knobs.unroll_ic, std::max(dot, knobs.ic_block / 2));
}

int64_t DirectNest::PanelBlocks() const {
  if (prologue == Prologue::kNone && !widened) return 0;
  return knobs.loop_order == 1 ? shape.groups * in_blocks : in_blocks;
}

int64_t DirectNest::PartTiles() const {
  const int64_t tiles = CeilDiv(row_width, knobs.tile_ow);
  const bool whole = knobs.column_items == 0 || prologue == Prologue::kNone;
  return whole ? tiles : std::min(tiles, CeilDiv(kPartColumns, knobs.tile_ow));
}

int64_t DirectNest::RowParts() const { return CeilDiv(CeilDiv(row_width, knobs.tile_ow), PartTiles()); }

TileShape DirectNest::Tile() const {
  const int64_t taps = shape.KH * shape.KW, blocks = knobs.ic_chunk ? knobs.ic_chunk : in_blocks;
  const int64_t channels =
      std::min(in_blocks * knobs.ic_block, CeilDiv(shape.group_in, knobs.unroll_ic) * knobs.unroll_ic);
  TileShape tile;
  tile.rows = static_cast<double>(knobs.tile_ow);
  tile.vectors = vectors();
  tile.line = static_cast<double>(row_width);
  tile.groups = static_cast<double>(groups_of_blocks);
  tile.steps = static_cast<double>(taps * channels / dot);
  tile.unroll = static_cast<double>(std::max<int64_t>(1, knobs.unroll_ic / dot));
  tile.passes = static_cast<double>(chunks);
  tile.weight_bytes =
      static_cast<double>(Bytes(types.weight, blocks * knobs.ic_block * knobs.oc_block * knobs.tile_oc * taps));
  tile.input_bytes = static_cast<double>(Bytes(types.data, shape.KH * row_input * shape.group_in));
  return tile;
}

const Schedule& Conv2dDirect() {
  static const Direct schedule;
  return schedule;
}

}  // namespace hone
