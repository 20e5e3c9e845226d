#include "compiler/schedules/conv2d/conv2d_amx.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr TileProduct kTileProducts[] = {
    {DType::kUInt8, DType::kInt8, DType::kInt32, 64, 4},
    {DType::kBFloat16, DType::kBFloat16, DType::kFloat32, 32, 2},
};

// Accumulators, the held operands, and one for the streamed ones.
int64_t Registers(int64_t outputs, int64_t channels) { return outputs * channels + std::min(outputs, channels) + 1; }

std::string Blocked(int64_t block, const char* letter) {
  return block == 1 ? std::string() : fmt::format("{}{}", block, letter);
}

// Whether one row of a tile can hold the neighbouring pixels that a kernel row reads.
bool IsThin(const Workload& w) {
  return w.data[1] <= kThinChannels && w.weight[3] * kThinChannels <= TileProductOf(w.types)->channels &&
         w.dilation[1] == 1;
}

class Amx : public KnobSchedule<AmxKnobs> {
 public:
  std::string_view name() const override { return "conv2d_amx"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override { return TileProductOf(types) != nullptr; }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    if (!Takes(w.types)) return false;
    const bool tiles = w.types.whole() ? machine.byte_tiles : machine.bfloat16_tiles;
    // Fewer channels would leave most of a row empty.
    return tiles && machine.vector_lanes == kTileColumns && w.is_conv() && w.groups == 1 &&
           (w.data[1] >= kTileColumns || IsThin(w)) && w.prologue == Prologue::kNone;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel&, const AmxKnobs& k) const override {
    const TileProduct& product = *TileProductOf(w.types);
    if (IsThin(w) && k.ic_block != 1 && k.ic_block != kThinChannels) return "ic_block of a thin input is 1 or 4";
    if (!IsThin(w) && (k.ic_block < kTileColumns || product.channels % k.ic_block != 0)) {
      return fmt::format("ic_block does not divide the {} channels of a tile's row", product.channels);
    }
    const int64_t registers = Registers(k.tile_ow / kTileColumns, k.tile_oc);
    if (registers > MatrixTiles::kRegisters) {
      return fmt::format("the register tile needs {} of {} tiles", registers, MatrixTiles::kRegisters);
    }
    const ConvShape s(w);
    if (s.OH % k.tile_oh != 0) return "tile_oh does not divide the output rows";
    const AmxNest nest(w, k);
    if (nest.out_vectors % k.tile_oc != 0) return "tile_oc does not divide the output's vectors of 16 channels";
    if (nest.together() > nest.lines.tiles()) return "tile_ow is more than the outputs of a work item";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const AmxKnobs& k,
                                          const Epilogue& epilogue) const override {
    const TileProduct& product = *TileProductOf(w.types);
    const Layout data = Layout::Parse("NCHW" + Blocked(k.ic_block, "c"));
    const Layout out = Layout::Parse("NCHW" + Blocked(k.oc_block, "c"));
    const std::string rows =
        IsThin(w) ? Blocked(product.channels / kThinChannels, "w") + Blocked(kThinChannels / product.group, "i")
                  : Blocked(product.channels / product.group, "i");
    const Layout weight = Layout::Parse("OIHW" + Blocked(k.tile_oc, "o") + rows + Blocked(kTileColumns, "o") +
                                        Blocked(product.group, "i"));
    std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, data},
                                        {OperandRole::kWeight, w.types.weight, w.weight, weight}};
    const Layout outputs = Layout::Parse("O" + Blocked(k.oc_block, "o"));
    AddChannelOperands(w, epilogue, outputs, Layout::Parse("CHW" + Blocked(k.oc_block, "c")), operands);
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), out});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), out});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const AmxKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    return EmitConv2dAmx(builder, AmxNest(w, k), epilogue, symbol);
  }

  TileShape TileWith(const Workload& w, const MachineModel&, const AmxKnobs& k) const override {
    return AmxNest(w, k).Tile();
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const AmxKnobs& k) const override;
};

// Costs in cycles, fitted together with those of TileStepCycles.
constexpr double kAmxResidual = 3;       // more if another tensor is added
constexpr double kItemStart = 40;        // per work item
constexpr double kBarrier = 2500;        // between two stages on several threads
constexpr double kFillRow = 1.2;         // to copy one row of a tile
constexpr double kRepackRow = 9.6;       // to make one row of a tile from narrower blocks
constexpr double kThinPixel = 1.9;       // to make one pixel of a thin input
constexpr double kAmxCacheShare = 1;     // share of a cache that holds data for reuse
constexpr double kAgain = 0.12;          // share of all weights, for each further band
constexpr double kAmxUnhidden = 0.73;    // visible share of the lesser of arithmetic and cold weights
constexpr double kAmxFetchAhead = 1.14;  // factor of fetching ahead if weights are near
constexpr double kAmxFetchCold = 0.93;   // factor of fetching ahead if they are cold

// A step of `count` tiles of outputs. The channel group before read their pixels last: over the whole band if the input
// stays near, over all bands if the weights do. Further taps read the same pixels again at once.
double StepCycles(const AmxNest& nest, const MachineModel& machine, double count) {
  const TileShape pass = nest.Tile();
  const auto width = static_cast<double>(nest.lines.width);
  const bool input_stays = nest.knobs.loop_order == 1;
  TileStep step{count, static_cast<double>(nest.knobs.tile_oc), width, 0, 0};
  if (nest.groups > 1) {
    step.rows_walk = pass.weight_bytes + (input_stays ? pass.input_bytes : static_cast<double>(nest.plane_bytes()));
  }
  step.weights_walk = pass.weight_bytes + pass.input_bytes / pass.line * width * count;
  step.near = 1 - 1.0 / static_cast<double>(nest.taps());
  return TileStepCycles(machine, step);
}

double FinishCycles(const AmxNest& nest) {
  const bool bytes = nest.types.output == DType::kUInt8;
  const bool packs =
      bytes && nest.knobs.tile_oc % 2 == 0 && nest.knobs.oc_block % (nest.knobs.tile_oc * kTileColumns) == 0;
  const double vector = packs ? kFinishPackedCycles : bytes ? kFinishBytesCycles : kFinishFloatCycles;
  return kFinishRowCycles + static_cast<double>(nest.knobs.tile_oc) * (vector + (nest.residual ? kAmxResidual : 0));
}

// A register tile of `count` tiles of outputs: its sums and its stores.
double TileCycles(const AmxNest& nest, const MachineModel& machine, double count) {
  const auto channels = static_cast<double>(nest.knobs.tile_oc), width = static_cast<double>(nest.lines.width);
  return static_cast<double>(nest.in_blocks * nest.taps()) * StepCycles(nest, machine, count) + kTileStartCycles +
         count * (channels * kTileStoreCycles + width * FinishCycles(nest));
}

double BandCycles(const AmxNest& nest, const MachineModel& machine) {
  const int64_t tiles = nest.lines.tiles(), together = nest.together(), rest = tiles % together;
  const int64_t whole = tiles / together;
  double cycles = static_cast<double>(whole) * TileCycles(nest, machine, static_cast<double>(together));
  if (rest > 0) cycles += TileCycles(nest, machine, static_cast<double>(rest));
  return cycles;
}

double FillCycles(const AmxNest& nest, const MachineModel& machine) {
  if (!nest.filled) return 0;
  const int64_t rows = nest.shape.N * nest.in_blocks * nest.plane_h;
  const double row = nest.thin ? kThinPixel : nest.knobs.ic_block == nest.product.channels ? kFillRow : kRepackRow;
  const double cycles = static_cast<double>(rows * nest.plane_w) * row * ThreadShare(rows, machine.threads);
  return cycles + kStageStartCycles + (machine.threads > 1 ? kBarrier : 0);
}

double Amx::EstimateNsWith(const Workload& w, const MachineModel& machine, const AmxKnobs& k) const {
  const AmxNest nest(w, k);
  const int64_t items = nest.shape.N * nest.groups * nest.bands;
  const auto groups = static_cast<double>(nest.groups), bands = static_cast<double>(nest.bands);
  const auto images = static_cast<double>(nest.shape.N);
  const double all_weights = nest.Tile().weight_bytes * groups;
  const double again =
      k.loop_order == 0 ? 0 : (bands - 1) * all_weights / MovedBytesPerCycle(machine, all_weights, kAmxCacheShare);
  double cycles = images * (groups * bands * (BandCycles(nest, machine) + kItemStart) + kAgain * again);
  cycles = cycles * ThreadShare(items, machine.threads) + kStageStartCycles + FillCycles(nest, machine);
  if (k.prefetch > 0) cycles *= kAmxFetchAhead;
  // In a network every weight comes from memory once, overlapped with the arithmetic.
  const double memory = all_weights / machine.cold_bytes_per_cycle * (k.prefetch > 0 ? kAmxFetchCold : 1);
  return (std::max(cycles, memory) + kAmxUnhidden * std::min(cycles, memory)) / machine.clock_ghz;
}

TileLines CutLines(int64_t lines, int64_t length, int64_t pitch, bool joined) {
  const int64_t tiles = CeilDiv(length, MatrixTiles::kRows);
  return {joined, lines, length, pitch, tiles, CeilDiv(length, tiles)};
}

// A tile of few rows takes as long as its loads, so a width below 12 counts as 12.
int64_t LineCost(const TileLines& lines) { return lines.tiles() * std::max<int64_t>(lines.width, 12); }

// Rows of outputs are joined only at stride 1: there a step to the next row is a multiple of one to the next output.
TileLines LinesOf(const ConvShape& s, int64_t plane_w, int64_t rows) {
  const TileLines apart = CutLines(rows, s.OW, s.OW, false);
  if (s.stride_h != 1 || s.stride_w != 1 || rows == 1) return apart;
  const TileLines joined = CutLines(1, (rows - 1) * plane_w + s.OW, plane_w, true);
  return LineCost(joined) < LineCost(apart) ? joined : apart;
}

}  // namespace

const TileProduct* TileProductOf(const ElementTypes& types) {
  for (const TileProduct& product : kTileProducts) {
    const bool output =
        types.output == product.data || types.output == DType::kFloat32 || types.output == product.accumulator;
    if (types.data == product.data && types.weight == product.weight && types.accumulator == product.accumulator &&
        output) {
      return &product;
    }
  }
  return nullptr;
}

AmxNest::AmxNest(const Workload& workload, const AmxKnobs& k)
    : shape(workload), types(workload.types), knobs(k), product(*TileProductOf(workload.types)) {
  const ConvShape& s = shape;
  thin = IsThin(workload);
  residual = workload.epilogue == EpilogueClass::kResidual;
  filled = thin || s.pad_t > 0 || s.pad_l > 0 || s.pad_b > 0 || s.pad_r > 0 || k.ic_block != product.channels;
  pixel_bytes = thin ? Bytes(types.data, kThinChannels) : MatrixTiles::kRowBytes;
  plane_h = filled ? (s.OH - 1) * s.stride_h + (s.KH - 1) * s.dil_h + 1 : s.H;
  const int64_t reach = thin ? product.channels / kThinChannels : (s.KW - 1) * s.dil_w + 1;
  plane_w = filled ? (s.OW - 1) * s.stride_w + reach : s.W;
  in_blocks = CeilDiv(s.C, product.channels);
  out_vectors = CeilDiv(s.O, k.oc_block) * (k.oc_block / kTileColumns);
  groups = CeilDiv(CeilDiv(s.O, kTileColumns), k.tile_oc);
  bands = s.OH / k.tile_oh;
  lines = LinesOf(s, plane_w, k.tile_oh);
}

int64_t AmxNest::plane_bytes() const { return in_blocks * plane_h * plane_w * pixel_bytes; }

TileShape AmxNest::Tile() const {
  const int64_t unroll = product.channels / product.group;
  TileShape tile;
  tile.rows = static_cast<double>(together() * lines.width);
  tile.vectors = static_cast<double>(knobs.tile_oc);
  tile.line = static_cast<double>(lines.lines * lines.length);
  tile.groups = static_cast<double>(groups);
  tile.steps = static_cast<double>(taps() * in_blocks * unroll);
  tile.unroll = static_cast<double>(unroll);
  tile.weight_bytes = static_cast<double>(in_blocks * taps() * knobs.tile_oc * kFullTileBytes);
  const int64_t rows = (knobs.tile_oh - 1) * shape.stride_h + (shape.KH - 1) * shape.dil_h + 1;
  tile.input_bytes = static_cast<double>(in_blocks * rows * plane_w * pixel_bytes);
  tile.workspace_bytes = filled ? static_cast<double>(plane_bytes()) : 0;
  return tile;
}

const Schedule& Conv2dAmx() {
  static const Amx schedule;
  return schedule;
}

// A full row of a tile, or the block that other schedules write.
std::vector<int64_t> AmxKnobs::OutputBlocks(const Workload& w, const MachineModel& machine) {
  return {TileProductOf(w.types)->channels, machine.vector_lanes};
}

std::vector<int64_t> AmxKnobs::InputBlocks(const Workload& w, const MachineModel& machine) {
  if (w.data[1] <= kThinChannels) return {1, kThinChannels};
  return OutputBlocks(w, machine);
}

std::vector<int64_t> AmxKnobs::Bands(const Workload& w, const MachineModel&) {
  const ConvShape s(w);
  std::vector<int64_t> bands;
  for (int64_t rows = 1; rows <= std::min<int64_t>(s.OH, 8); ++rows) {
    if (s.OH % rows == 0) bands.push_back(rows);
  }
  if (s.OH > 8 && s.OH * s.OW <= 1024) bands.push_back(s.OH);
  return bands;
}

}  // namespace hone
