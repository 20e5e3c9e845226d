#include "compiler/schedules/conv2d/conv2d_winograd.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kLeastChannels = 8;
constexpr double kWinogradColdShare = 0.875;  // share of the cold weights' rate that panels of one frequency reach
constexpr double kWinogradCacheShare = 0.7;   // share of a cache that holds data for reuse
constexpr int64_t kMaxWorkspaceBytes = int64_t{256} << 20;

int64_t RoundUp(int64_t n, int64_t to) { return CeilDiv(n, to) * to; }

// Frequencies lie an odd number of cache lines apart: at a power of two their stores would compete for the same sets.
int64_t FrequencyBytes(int64_t bytes, int64_t line_bytes) {
  const int64_t lines = CeilDiv(bytes, line_bytes);
  return (lines % 2 == 0 ? lines + 1 : lines) * line_bytes;
}

class Winograd : public KnobSchedule<WinogradKnobs> {
 public:
  std::string_view name() const override { return "conv2d_winograd"; }
  int version() const override { return 1; }
  double tolerance() const override { return 2e-5; }
  // Transformed weights are always float32: in bfloat16 they would lose the precision that the transform needs.
  bool Takes(const ElementTypes& types) const override { return AreFloats(types) && types.weight == DType::kFloat32; }
  bool Applies(const Workload& w, const MachineModel&) const override { return SuitsWinograd(w); }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const WinogradKnobs& k) const override {
    return RejectWinograd(WinogradNest(w, machine, k), machine);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const WinogradKnobs& k,
                                          const Epilogue& epilogue) const override {
    return WinogradOperands(w, k, epilogue,
                            fmt::format("HWOI{}i{}o@winograd{}", k.ic_block, k.tile_oc * k.oc_block, k.m));
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const WinogradKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    return EmitConv2dWinograd(builder, WinogradNest(w, machine, k), epilogue, symbol);
  }

  TileShape TileWith(const Workload& w, const MachineModel& machine, const WinogradKnobs& k) const override {
    return WinogradNest(w, machine, k).Tile();
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const WinogradKnobs& k) const override;
};

// Cycles of one pass over `bytes` in the level that holds `footprint`.
double PassCycles(const MachineModel& machine, double footprint, double bytes) {
  return bytes / MovedBytesPerCycle(machine, footprint, kWinogradCacheShare);
}

double Winograd::EstimateNsWith(const Workload& w, const MachineModel& machine, const WinogradKnobs& k) const {
  const WinogradNest nest(w, machine, k);
  const double blocks = static_cast<double>(nest.blocks());
  const double tiles = static_cast<double>(nest.product_tiles()), frequencies = static_cast<double>(nest.frequencies);
  const double pixels = static_cast<double>(k.tile_ow), vectors = static_cast<double>(k.tile_oc);
  const double channels = static_cast<double>(nest.in_blocks * k.ic_block);
  const double step = StepCycles(machine, pixels, vectors, machine.multiply_add_latency);
  const double tile_cycles = channels * (step + 1 / static_cast<double>(k.unroll_ic)) + 3 * pixels * vectors;
  const double product = frequencies * tiles / pixels * static_cast<double>(nest.out_blocks) / vectors * tile_cycles;
  // Weights come from memory once, overlapped with the product if they are fetched ahead, and again for every further
  // block of tiles. V and M are written and read once.
  const double weight_bytes =
      frequencies * channels * static_cast<double>(nest.weight_bytes * nest.out_blocks * k.oc_block);
  const double memory = weight_bytes / (kWinogradColdShare * machine.cold_bytes_per_cycle);
  const double again = (blocks - 1) * PassCycles(machine, weight_bytes, weight_bytes);
  const double work_bytes = static_cast<double>(nest.workspace_bytes());
  const double moves = 2 * blocks * PassCycles(machine, work_bytes, work_bytes);
  const double per_vector = static_cast<double>(4 * nest.frequencies);
  const double transforms = tiles * static_cast<double>(nest.in_blocks + nest.out_blocks) * per_vector;
  // The staged product's items are (frequency, channel group) pairs; the fused kernel's are blocks of tiles.
  const double share =
      ThreadShare(k.tile_block == 0 ? nest.frequencies * nest.out_blocks / k.tile_oc : nest.blocks(), machine.threads);
  // Fetching ahead hides most of the shorter of the two.
  const double arithmetic = share * product;
  const double weighed =
      k.prefetch ? std::max(arithmetic, memory) + 0.05 * std::min(arithmetic, memory) : arithmetic + 0.8 * memory;
  return (weighed + share * (0.3 * again + moves + transforms)) / machine.clock_ghz;
}

}  // namespace

bool SuitsWinograd(const Workload& w) {
  if (!w.is_conv() || w.groups != 1 || w.prologue != Prologue::kNone) return false;
  const ConvShape s(w);
  return s.KH == 3 && s.KW == 3 && s.stride_h == 1 && s.stride_w == 1 && s.dil_h == 1 && s.dil_w == 1 &&
         s.C >= kLeastChannels;
}

std::vector<KernelOperand> WinogradOperands(const Workload& w, const WinogradKnobs& k, const Epilogue& epilogue,
                                            const std::string& filters) {
  const Layout data = Layout::Parse(fmt::format("NCHW{}c", k.ic_block)),
               out = Layout::Parse(fmt::format("NCHW{}c", k.oc_block)), weight = Layout::Parse(filters);
  std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, data},
                                      {OperandRole::kWeight, w.types.weight, w.weight, weight}};
  AddChannelOperands(w, epilogue, Layout::Parse(fmt::format("O{}o", k.oc_block)),
                     Layout::Parse(fmt::format("CHW{}c", k.oc_block)), operands);
  if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), out});
  operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), out});
  return operands;
}

std::optional<std::string> RejectWinograd(const WinogradNest& nest, const MachineModel& machine) {
  const WinogradKnobs& k = nest.knobs;
  const int64_t lanes = machine.vector_lanes;
  if (k.oc_block != lanes || k.ic_block != lanes) return fmt::format("the blocks are {} lanes", lanes);
  if (k.ic_block % k.unroll_ic != 0) return "unroll_ic does not divide ic_block";
  if (k.unroll_ic % nest.group != 0) return fmt::format("unroll_ic is no multiple of {} channels", nest.group);
  if (nest.out_blocks % k.tile_oc != 0) return "tile_oc does not divide the output blocks";
  if (k.tile_block >= nest.tiles) return "tile_block is not less than the tiles";
  if (k.tile_block == 0 && k.loop_order == 1) return "loop_order=1 needs a tile_block";
  if (k.tile_block > 0 && k.tile_block < k.tile_ow) return "tile_ow is more than tile_block";
  if (k.tile_ow > nest.tiles) return "tile_ow is more than the tiles";
  if (k.column_items > 0 && nest.by_group) return "column_items needs all groups at once";
  if (k.column_items > 0 && nest.item_tiles() >= nest.tiles_w + k.tile_ow)
    return "an item is wider than a row of tiles";
  if (nest.workspace_bytes() > kMaxWorkspaceBytes) return "the workspace is over 256 MiB";
  return nest.Registers().Reject(machine);
}

std::vector<int64_t> WinogradKnobs::Blocks(const Workload&, const MachineModel& machine) {
  return {machine.vector_lanes};
}

std::vector<int64_t> WinogradKnobs::BlocksOfTile(const Workload& w, const MachineModel& machine) {
  const int64_t blocks = CeilDiv(ConvShape(w).O, machine.vector_lanes);
  std::vector<int64_t> groups;
  for (int64_t g = 1; g <= std::min<int64_t>(blocks, 8); ++g) {
    if (blocks % g == 0) groups.push_back(g);
  }
  return groups;
}

std::vector<int64_t> WinogradKnobs::TileWidths(const Workload& w, const MachineModel& machine) {
  const ConvShape s(w);
  const int64_t least_tiles = s.N * CeilDiv(s.OH, 4) * CeilDiv(s.OW, 4);
  std::vector<int64_t> widths;
  for (int64_t t = 2; t <= std::min<int64_t>(machine.vector_registers - 2, 4 * least_tiles); ++t) widths.push_back(t);
  return widths;
}

std::vector<int64_t> WinogradKnobs::TileBlocks(const Workload& w, const MachineModel&) {
  const ConvShape s(w);
  const int64_t tiles = s.N * CeilDiv(s.OH, 2) * CeilDiv(s.OW, 2);
  std::vector<int64_t> blocks{0};
  for (int64_t count : {512, 256, 128, 64, 32, 16, 8, 4, 2}) {
    const int64_t block = CeilDiv(tiles, count);
    if (block >= 8 && block < tiles && block != blocks.back()) blocks.push_back(block);
  }
  return blocks;
}

WinogradNest::WinogradNest(const Workload& workload, const MachineModel& machine, const WinogradKnobs& k,
                           bool filters_are_bytes)
    : shape(workload),
      types(workload.types),
      knobs(k),
      lanes(static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.oc_block))) {
  alpha = k.m + 2;
  frequencies = alpha * alpha;
  tiles_h = CeilDiv(shape.OH, k.m);
  tiles_w = CeilDiv(shape.OW, k.m);
  tiles = shape.N * tiles_h * tiles_w;
  // With column_items the last register tile of a row of tiles may reach into the next row.
  const int64_t beyond = k.column_items > 0 ? k.tile_ow : 0;
  block_tiles = RoundUp(k.tile_block == 0 ? tiles + beyond : k.tile_block, k.tile_ow);
  in_blocks = CeilDiv(shape.C, k.ic_block);
  out_blocks = CeilDiv(shape.O, k.oc_block);
  constexpr int64_t kShort = 2;
  group = types.whole() ? 2 : 1;
  sums_apart = types.whole() && !machine.adds_pairs;
  in_bytes = types.whole() ? kShort : Bytes(types.accumulator);
  weight_bytes = types.whole() ? kShort : Bytes(types.weight);
  const auto frequency_bytes = [&](int64_t channels, int64_t element) {
    return FrequencyBytes(channels * block_tiles * element, machine.line_bytes);
  };
  in_frequency_bytes = frequency_bytes(in_blocks * k.ic_block, in_bytes);
  by_group = types.whole();
  filters_in_run = filters_are_bytes;
  const int64_t group_channels = k.tile_oc * k.oc_block;
  filter_frequency_bytes =
      filters_in_run ? FrequencyBytes(in_blocks * k.ic_block * group_channels * weight_bytes, machine.line_bytes) : 0;
  out_frequency_bytes = frequency_bytes(by_group ? group_channels : out_blocks * k.oc_block, Bytes(types.accumulator));
}

int64_t WinogradNest::blocks() const {
  if (knobs.tile_block == 0) return 1;
  return knobs.column_items > 0 ? lines() * line_items() : CeilDiv(tiles, knobs.tile_block);
}

int64_t WinogradNest::product_tiles() const {
  if (knobs.column_items == 0) return block_tiles * blocks();
  const int64_t rest = tiles_w % item_tiles(), whole = tiles_w - rest;
  return lines() * (whole / item_tiles() * RoundUp(item_tiles(), knobs.tile_ow) + RoundUp(rest, knobs.tile_ow));
}

std::vector<StageAxis> WinogradNest::LineAxes(int64_t items, int64_t tiles_of_item) const {
  return {{shape.N, 0}, {tiles_h, shape.row_axis, 1, knobs.m}, {items, shape.column_axis, 1, knobs.m * tiles_of_item}};
}

RegisterTile WinogradNest::Registers() const {
  RegisterTile tile{static_cast<int>(knobs.tile_ow), static_cast<int>(knobs.tile_oc), lanes};
  tile.product_apart = sums_apart;
  return tile;
}

// Describes the product of one frequency: the line is its tiles, and the input is the transformed tiles.
TileShape WinogradNest::Tile() const {
  const int64_t channels = in_blocks * knobs.ic_block, steps = channels / group;
  const int64_t vectors = knobs.oc_block / lanes, groups = out_blocks / knobs.tile_oc;
  TileShape tile;
  tile.rows = static_cast<double>(knobs.tile_ow);
  tile.vectors = static_cast<double>(knobs.tile_oc * vectors);
  tile.line = static_cast<double>(block_tiles);
  tile.groups = static_cast<double>(groups);
  tile.steps = static_cast<double>(steps);
  tile.unroll = static_cast<double>(knobs.unroll_ic);
  tile.weight_bytes = static_cast<double>(weight_bytes * channels * knobs.oc_block * knobs.tile_oc);
  tile.input_bytes = static_cast<double>(in_frequency_bytes);
  tile.workspace_bytes = static_cast<double>(workspace_bytes());
  return tile;
}

const Schedule& Conv2dWinograd() {
  static const Winograd schedule;
  return schedule;
}

}  // namespace hone
