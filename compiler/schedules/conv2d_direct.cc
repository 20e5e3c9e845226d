#include "compiler/schedules/conv2d_direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/schedules/knob_check.h"
#include "compiler/schedules/register_tile.h"
#include "compiler/schedules/row_tiles.h"
#include "compiler/schedules/thread_share.h"

namespace hone {
namespace {

constexpr double kMemoryBytesPerCycle = 8;
constexpr double kCyclesPerNs = 3.5;
constexpr int64_t kMaxStraightLineFmas = 640;

int64_t LargestDivisorUpTo(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d) {
    if (n % d == 0 && (d & (d - 1)) == 0) return d;
  }
  return 1;
}

// With groups a block must not straddle two of them.
int64_t OutBlock(const ConvShape& s, int lanes) {
  return s.groups == 1 ? lanes : LargestDivisorUpTo(s.group_out, lanes);
}
// Thin inputs are read as plain NCHW: a block of 16 for 3 channels would multiply zeros.
int64_t InBlock(const ConvShape& s, int lanes) {
  if (s.groups > 1) return LargestDivisorUpTo(s.group_in, lanes);
  return s.C < lanes / 2 ? 1 : lanes;
}

std::vector<int64_t> Divisors(int64_t n, int64_t limit) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(n, limit); ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

// A prologue is applied to the rows of a pointwise convolution, once for all its output channels.
bool TakesPrologue(const ConvShape& s) {
  const bool padded = s.pad_t > 0 || s.pad_l > 0 || s.pad_b > 0 || s.pad_r > 0;
  return s.KH == 1 && s.KW == 1 && !padded && s.groups == 1 && s.C >= 16;
}

bool TapsUnrolled(const DirectConfig& k, bool border) { return border || k.ic_block < 4; }

class Direct : public Schedule {
 public:
  std::string_view name() const override { return "conv2d_direct"; }
  int version() const override { return 1; }
  bool Applies(const Workload& w, const MachineModel&) const override {
    if (!w.is_conv() || w.dtype != DType::kFloat32 || w.is_depthwise()) return false;
    return w.prologue == Prologue::kNone || TakesPrologue(ConvShape(w));
  }

  ConfigSpace Space(const Workload& w, const MachineModel& machine) const override {
    const ConvShape s(w);
    const int64_t oc_block = OutBlock(s, machine.vector_lanes), ic_block = InBlock(s, machine.vector_lanes);
    const int64_t in_blocks = CeilDiv(s.group_in, ic_block), blocks = CeilDiv(s.group_out, oc_block);
    std::vector<int64_t> rows = s.pointwise() ? Divisors(s.OH, 8) : std::vector<int64_t>{1};
    if (s.pointwise() && s.OH > 8 && s.OH * s.OW <= 256) rows.push_back(s.OH);
    std::vector<int64_t> chunks{0};
    for (int64_t c : {1, 2, 4, 8, 16, 32}) {
      if (c < in_blocks) chunks.push_back(c);
    }
    std::vector<int64_t> widths;
    for (int64_t t = 1; t <= std::min<int64_t>(machine.vector_registers - 2, s.OW * rows.back()); ++t)
      widths.push_back(t);
    std::vector<int64_t> unrolls{1};
    for (int64_t u : {2, 4, 8}) {
      if (ic_block % u == 0) unrolls.push_back(u);
    }
    return ConfigSpace({{"oc_block", {oc_block}},
                        {"ic_block", {ic_block}},
                        {"tile_oc", Divisors(blocks, 8)},
                        {"tile_ow", widths},
                        {"tile_oh", rows},
                        {"unroll_ic", unrolls},
                        {"ic_chunk", chunks},
                        {"loop_order", {0, 1}},
                        {"prefetch", {0, 1}}});
  }

  std::optional<std::string> Reject(const Workload& w, const MachineModel& machine,
                                    const Config& config) const override {
    if (auto unknown = UnknownKnob(config, {"oc_block", "ic_block", "tile_oc", "tile_ow", "tile_oh", "unroll_ic",
                                            "ic_chunk", "loop_order", "prefetch"})) {
      return unknown;
    }
    const DirectConfig k = DirectConfig::From(config);
    if (auto range = OutOfRange({{"oc_block", k.oc_block, 1, 128},
                                 {"ic_block", k.ic_block, 1, 128},
                                 {"tile_oc", k.tile_oc, 1, 64},
                                 {"tile_ow", k.tile_ow, 1, 64},
                                 {"tile_oh", k.tile_oh, 1, 1024},
                                 {"unroll_ic", k.unroll_ic, 1, 64},
                                 {"ic_chunk", k.ic_chunk, 0, 1 << 20},
                                 {"loop_order", k.loop_order, 0, 1},
                                 {"prefetch", k.prefetch, 0, 1}})) {
      return range;
    }
    if (w.prologue != Prologue::kNone && (k.loop_order != 1 || k.ic_block != machine.vector_lanes)) {
      return fmt::format("a prologue needs loop_order=1 and ic_block={}", machine.vector_lanes);
    }
    return RejectShape(ConvShape(w), machine, k);
  }

  std::vector<KernelOperand> Operands(const Workload& w, const Config& config,
                                      const Epilogue& epilogue) const override {
    const DirectConfig k = DirectConfig::From(config);
    const auto blocked = [](int64_t block, const char* letter) {
      return block == 1 ? std::string() : fmt::format("{}{}", block, letter);
    };
    const Layout data = Layout::Parse("NCHW" + blocked(k.ic_block, "c"));
    const Layout out = Layout::Parse("NCHW" + blocked(k.oc_block, "c"));
    const Layout weight = Layout::Parse("OIHW" + blocked(k.ic_block, "i") + blocked(k.tile_oc * k.oc_block, "o"));
    std::vector<KernelOperand> operands{{OperandRole::kData, w.dtype, w.data, data}};
    if (w.prologue != Prologue::kNone) {
      const Layout channels = Layout::Parse("CHW" + blocked(k.ic_block, "c"));
      operands.push_back({OperandRole::kScale, w.dtype, {w.data[1], 1, 1}, channels});
      operands.push_back({OperandRole::kShift, w.dtype, {w.data[1], 1, 1}, channels});
    }
    operands.push_back({OperandRole::kWeight, w.dtype, w.weight, weight});
    if (epilogue.bias) {
      operands.push_back({OperandRole::kBias, w.dtype, {w.weight[0]}, Layout::Parse("O" + blocked(k.oc_block, "o"))});
    }
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.dtype, w.OutputShape(), out});
    operands.push_back({OperandRole::kOutput, w.dtype, w.OutputShape(), out});
    return operands;
  }

  EmittedKernel Emit(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const Config& config,
                     const Epilogue& epilogue, const std::string& symbol) const override {
    return EmitConv2dDirect(builder, DirectNest(w, machine, DirectConfig::From(config)), epilogue, symbol);
  }

  double EstimateNs(const Workload& w, const MachineModel& machine, const Config& config) const override;

 private:
  static std::optional<std::string> RejectShape(const ConvShape& s, const MachineModel& machine,
                                                const DirectConfig& k) {
    if (s.groups > 1 && (s.group_out % k.oc_block != 0 || s.group_in % k.ic_block != 0)) {
      return fmt::format("a block straddles two groups of {} and {} channels", s.group_in, s.group_out);
    }
    if (k.ic_block % k.unroll_ic != 0) return "unroll_ic does not divide ic_block";
    if (CeilDiv(s.group_out, k.oc_block) % k.tile_oc != 0)
      return "tile_oc does not divide the output blocks of a group";
    const int lanes = static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.oc_block));
    if (k.oc_block % lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", lanes);
    if (k.tile_oh > 1 && !s.pointwise()) return "tile_oh joins rows of pointwise convolutions only";
    if (s.OH % k.tile_oh != 0) return "tile_oh does not divide the output rows";
    if (k.tile_ow > s.OW * k.tile_oh) return "tile_ow is wider than a row";
    if (k.ic_chunk >= CeilDiv(s.group_in, k.ic_block)) return "ic_chunk is not less than the input blocks";
    if (k.ic_chunk > 0 && k.loop_order == 1) return "ic_chunk needs loop_order=0";
    const RegisterTile tile{static_cast<int>(k.tile_ow), static_cast<int>(k.tile_oc * (k.oc_block / lanes)), lanes};
    // NEON's lane operands and AVX-512's broadcasts need no register of their own, but some stay for addresses and
    // borders.
    if (tile.registers() > machine.vector_registers) {
      return fmt::format("the register tile needs {} of {} registers", tile.registers(), machine.vector_registers);
    }
    const int64_t fmas = int64_t{tile.pixels} * tile.vectors * k.unroll_ic * (TapsUnrolled(k, true) ? s.KW : 1);
    if (fmas > kMaxStraightLineFmas * (k.unroll_ic == 1 ? 4 : 1)) {
      return fmt::format("{} multiply-adds in a straight line are more than {}", fmas, kMaxStraightLineFmas);
    }
    return std::nullopt;
  }
};

// Cycles that one core needs to stream `bytes` used over and over from the level that holds `footprint`.
double StreamCycles(const MachineModel& machine, double footprint, double bytes) {
  if (footprint < 0.75 * static_cast<double>(machine.l1_bytes)) return bytes / (8.0 * machine.vector_lanes);
  if (footprint < 0.75 * static_cast<double>(machine.l2_bytes)) return bytes / 22.0;
  return bytes / (footprint < 0.75 * static_cast<double>(machine.l3_bytes) ? 12.0 : 6.0);
}

// Taps in a straight line let code generation load the next ones early, and a tile that fills the registers then
// spills.
double SpillRisk(const DirectNest& nest, const MachineModel& machine) {
  if (!TapsUnrolled(nest.knobs, false)) return 1;
  const RegisterTile tile{static_cast<int>(nest.knobs.tile_ow), nest.vectors(), nest.lanes};
  const double excess = static_cast<double>(tile.registers()) / machine.vector_registers - 0.75;
  return excess > 0 ? 1 + 10 * excess * excess : 1;
}

double Direct::EstimateNs(const Workload& w, const MachineModel& machine, const Config& config) const {
  const DirectNest nest(w, machine, DirectConfig::From(config));
  const DirectConfig& k = nest.knobs;
  const ConvShape& s = nest.shape;
  const double taps = static_cast<double>(s.KH * s.KW);
  const double steps =
      taps * static_cast<double>(std::min(nest.in_blocks * k.ic_block, CeilDiv(s.group_in, k.unroll_ic) * k.unroll_ic));
  const double vectors = nest.vectors();
  const double chunk_blocks = static_cast<double>(k.ic_chunk ? k.ic_chunk : nest.in_blocks);
  const double weight_bytes = chunk_blocks * static_cast<double>(k.ic_block * k.oc_block * k.tile_oc) * taps * 4;
  const double input_bytes = static_cast<double>(s.KH * nest.row_input) * static_cast<double>(s.group_in) * 4;
  double row_cycles = 0;
  for (int64_t start = 0; start < nest.row_width; start += k.tile_ow) {
    const double pixels = static_cast<double>(std::min(k.tile_ow, nest.row_width - start));
    // Two FMAs and two loads a cycle, four cycles of latency.
    const double step = std::max({pixels * vectors / 2, (pixels + vectors) / 2, 4.0});
    const double overhead = steps / static_cast<double>(k.unroll_ic) * 1.0 + taps * 2;
    const double weights = static_cast<double>(nest.chunks) * StreamCycles(machine, weight_bytes, weight_bytes);
    const double partial = 2.0 * static_cast<double>(nest.chunks - 1) * pixels * vectors;
    row_cycles += std::max(steps * step, weights) + overhead + partial + pixels * vectors * 2;
  }
  row_cycles *= SpillRisk(nest, machine);
  // The first touch of weights and input by an item: which of the two stays depends on the order.
  const double all_rows = static_cast<double>(s.N * nest.rows * nest.groups_of_blocks);
  const double all_weights = weight_bytes * static_cast<double>(nest.chunks * nest.groups_of_blocks);
  const double per_row =
      k.loop_order == 0
          ? StreamCycles(machine, input_bytes * static_cast<double>(nest.rows), input_bytes / static_cast<double>(s.KH))
          : StreamCycles(machine, all_weights + input_bytes, weight_bytes * static_cast<double>(nest.chunks));
  // In a network every weight comes from memory once: behind the arithmetic when it is fetched ahead.
  double compute = all_rows * (row_cycles + per_row * 0.5);
  if (w.prologue != Prologue::kNone)
    compute += 2.0 * static_cast<double>(s.N * nest.rows * nest.row_width * nest.in_blocks);
  compute *= ThreadShare(s.N * nest.rows * nest.groups_of_blocks, machine.threads);
  const double memory = all_weights / kMemoryBytesPerCycle;
  return (k.prefetch ? std::max(1.01 * compute, memory) : compute + 0.8 * memory) / kCyclesPerNs;
}

}  // namespace

DirectConfig DirectConfig::From(const Config& config) {
  DirectConfig k;
  k.oc_block = config.Get("oc_block", k.oc_block);
  k.ic_block = config.Get("ic_block", k.ic_block);
  k.tile_oc = config.Get("tile_oc", k.tile_oc);
  k.tile_ow = config.Get("tile_ow", k.tile_ow);
  k.tile_oh = config.Get("tile_oh", k.tile_oh);
  k.unroll_ic = config.Get("unroll_ic", k.unroll_ic);
  k.ic_chunk = config.Get("ic_chunk", k.ic_chunk);
  k.loop_order = config.Get("loop_order", k.loop_order);
  k.prefetch = config.Get("prefetch", k.prefetch);
  return k;
}

DirectNest::DirectNest(const Workload& workload, const MachineModel& machine, const DirectConfig& k)
    : shape(workload), prologue(workload.prologue), knobs(k) {
  lanes = static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.oc_block));
  rows = shape.OH / k.tile_oh;
  row_width = shape.OW * k.tile_oh;
  row_input = shape.W * k.tile_oh;
  in_blocks = CeilDiv(shape.group_in, k.ic_block);
  out_blocks = shape.groups * CeilDiv(shape.group_out, k.oc_block);
  groups_of_blocks = out_blocks / k.tile_oc;
  chunks = k.ic_chunk == 0 ? 1 : CeilDiv(in_blocks, k.ic_chunk);
}

const Schedule& Conv2dDirect() {
  static const Direct schedule;
  return schedule;
}

}  // namespace hone
