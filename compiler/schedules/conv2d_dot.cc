// The loop nest. In brackets: the knob that cuts a loop.
//
//   for image, for row of outputs                                    the work items
//     for group of output channels [tile_oc]
//       for tile of the row [tile_ow]                                tiles at the border stand alone
//         acc = 0
//         for input block, for kernel row kh that reads inside the input, for tap kw
//           acc[p][o] += x(p) * w(o)
//         sums of lanes, epilogue and store
//
// One register tile, here of tile_ow=4 outputs along w and tile_oc=2 channels. A box is a register of `lanes` input
// channels, of which the output is the sum:
//
//                       w(0): tap of channel 0   w(1): of channel 1     `w_out_` bytes apart
//   x(0): output 0's         acc[0][0]               acc[0][1]
//   x(1): output 1's         acc[1][0]               acc[1][1]          x(p + 1) is `x_pixel_` bytes behind x(p)
//   x(2)                     acc[2][0]               acc[2][1]
//   x(3)                     acc[3][0]               acc[3][1]
//                                |                       |
//                          LaneSums: y[0][0..3]    y[1][0..3]           neighbours in memory: the output is NCHW
//
// conv2d_direct has output channels as lanes: of 16 it would use 3 for a picture. In exchange each output costs three
// instructions at its end, which is little behind many taps.
//
// Data lie as NCHW{ic_block}c, weights as OIHW{ic_block}i: [channel: w_out_][input block][kh][kw: w_tap_][input
// channel].
#include "compiler/schedules/conv2d_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/lane_sums.h"
#include "compiler/schedules/conv_shape.h"
#include "compiler/schedules/epilogue_addresses.h"
#include "compiler/schedules/kernel_rows.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/level_rate.h"
#include "compiler/schedules/register_tile.h"
#include "compiler/schedules/row_tiles.h"
#include "compiler/schedules/step_cycles.h"
#include "core/nth.h"

namespace hone {
namespace {

struct DotKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> InputBlocks(const Workload&, const MachineModel& machine) {
    return {machine.vector_lanes};
  }
  static std::vector<int64_t> ChannelsOfTile(const Workload& w, const MachineModel&) {
    std::vector<int64_t> divisors;
    for (int64_t d = w.weight[0]; d >= 1; --d) {
      if (w.weight[0] % d == 0) divisors.push_back(d);
    }
    return divisors;
  }
  static std::vector<int64_t> TileWidths(const Workload& w, const MachineModel& machine) {
    std::vector<int64_t> widths;
    for (int64_t t = 1; t <= std::min<int64_t>(machine.vector_registers - 2, ConvShape(w).OW); ++t) widths.push_back(t);
    return widths;
  }

  // Lanes of an input block: one vector.
  int64_t ic_block = Row("ic_block", 8, {1, 128}, InputBlocks);
  // Output channels of one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 64}, ChannelsOfTile);
  // Outputs along w of one register tile.
  int64_t tile_ow = Row("tile_ow", 1, {1, 64}, TileWidths);
};

RegisterTile Registers(const DotKnobs& k, int64_t pixels) {
  return {static_cast<int>(pixels), static_cast<int>(k.tile_oc), static_cast<int>(k.ic_block)};
}

RowShape RowOf(const ConvShape& s) { return {s.OW, s.W, s.KW, s.stride_w, s.pad_l, s.dil_w}; }

// All strides are in bytes.
class DotEmitter {
 public:
  DotEmitter(KernelBuilder& builder, const ConvShape& shape, const ElementTypes& types, const DotKnobs& knobs,
             const Epilogue& epilogue)
      : b_(builder),
        s_(shape),
        types_(types),
        k_(knobs),
        epilogue_(epilogue),
        row_(RowOf(shape)),
        in_blocks_(CeilDiv(s_.C, k_.ic_block)),
        x_column_(Bytes(types.data, k_.ic_block)),
        x_pixel_(s_.stride_w * x_column_),
        x_row_(s_.W * x_column_),
        w_tap_(Bytes(types.weight, k_.ic_block)),
        w_out_(in_blocks_ * s_.KH * s_.KW * w_tap_),
        y_plane_(Bytes(types.output, s_.OH * s_.OW)) {}

  void Emit(const StageArgs& args) {
    Value* data = b_.Operand(args, 0);
    Value* data_stride = b_.BatchStride(args, 0);
    Value* weight = b_.Operand(args, 1);
    const EpilogueAddresses behind = ReadEpilogueAddresses(b_, args, epilogue_, 2);
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value* row = b_.Mod(item, s_.OH);
      Value* n = b_.Div(item, s_.OH);
      rows_ = KernelRowsInside(b_, s_, row);
      // The address of tap (0, 0) of output 0 may lie before the image; what reads there is clipped.
      x_ = b_.At(b_.At(data, b_.Mul(n, data_stride)), b_.Mul(row, s_.stride_h * x_row_));
      x_ = b_.At(x_, -s_.pad_t * x_row_ - s_.pad_l * x_column_);
      b_.For(0, s_.O / k_.tile_oc, 1, [&](Value* group) {
        w_ = b_.At(weight, b_.Mul(group, k_.tile_oc * w_out_));
        Value* y_offset = b_.Add(b_.Mul(group, k_.tile_oc * y_plane_), b_.Mul(row, Bytes(types_.output, s_.OW)));
        y_ = b_.At(behind.Output(b_, n), y_offset);
        r_ = epilogue_.residual ? b_.At(behind.Residual(b_, n), y_offset) : nullptr;
        channels_ = behind.channels.Skip(b_, group, k_.tile_oc);
        for (const RowTile& tile : CutRow(row_, k_.tile_ow)) {
          b_.For(0, tile.count, 1, [&](Value* i) { Tile(tile, i); });
        }
      });
    });
  }

 private:
  void Tile(const RowTile& tile, Value* i) {
    const RegisterTile registers = Registers(k_, tile.width);
    Value* x = b_.At(b_.At(x_, tile.start * x_pixel_), b_.Mul(i, tile.width * x_pixel_));
    const Vals zeros = registers.Zeros(b_, types_.accumulator);
    const Vals acc = b_.Loop(0, in_blocks_, 1, zeros, [&](Value* block, const Vals& in_block) {
      Value* block_x = b_.At(x, b_.Mul(block, s_.H * x_row_));
      Value* block_w = b_.At(w_, b_.Mul(block, s_.KH * s_.KW * w_tap_));
      return b_.Loop(rows_.first, rows_.end, 1, in_block, [&](Value* kh, const Vals& in_row) {
        Value* row_x = b_.At(block_x, b_.Mul(kh, s_.dil_h * x_row_));
        return Taps(tile, registers, row_x, b_.At(block_w, b_.Mul(kh, s_.KW * w_tap_)), in_row);
      });
    });
    Finish(registers, acc, b_.Add(b_.Mul(i, Bytes(types_.output, tile.width)), Bytes(types_.output, tile.start)));
  }

  Vals Taps(const RowTile& tile, const RegisterTile& registers, Value* x, Value* w, const Vals& start) {
    if (!tile.border) {
      return b_.Loop(0, s_.KW, 1, start, [&](Value* kw, const Vals& in) {
        Value* tap_x = b_.At(x, b_.Mul(kw, s_.dil_w * x_column_));
        return Tap(registers, tap_x, b_.At(w, b_.Mul(kw, w_tap_)), [](int) { return true; }, in);
      });
    }
    Vals acc = start;
    for (int64_t kw = 0; kw < s_.KW; ++kw) {
      const auto inside = [&](int p) { return TapInside(row_, tile.start + p, kw); };
      acc = Tap(registers, b_.At(x, kw * s_.dil_w * x_column_), b_.At(w, kw * w_tap_), inside, acc);
    }
    return acc;
  }

  Vals Tap(const RegisterTile& registers, Value* x, Value* w, const std::function<bool(int)>& inside, Vals acc) {
    const int lanes = registers.lanes;
    const auto load = [&](DType stored, Value* ptr) {
      return LoadConverted(b_, stored, ptr, lanes, types_.accumulator);
    };
    registers.Step(
        b_, acc, [&](int p) { return inside(p) ? load(types_.data, b_.At(x, p * x_pixel_)) : nullptr; },
        [&](int o) { return load(types_.weight, b_.At(w, o * w_out_)); });
    return acc;
  }

  // The outputs of a channel are stored in runs of a power of two, as LaneSums makes them.
  void Finish(const RegisterTile& registers, const Vals& acc, Value* y_offset) {
    for (int o = 0; o < registers.vectors; ++o) {
      for (int first = 0; first < registers.pixels;) {
        const auto left = static_cast<unsigned>(std::min(registers.pixels - first, registers.lanes));
        const int run = static_cast<int>(std::bit_floor(left));
        Vals vectors;
        for (int p = first; p < first + run; ++p) vectors.push_back(Nth(acc, p * registers.vectors + o));
        Store(o, LaneSums(b_, vectors), b_.Add(y_offset, o * y_plane_ + Bytes(types_.output, first)));
        first += run;
      }
    }
  }

  void Store(int channel, Value* sums, Value* y_offset) {
    Value* residual = r_ != nullptr ? b_.At(r_, y_offset) : nullptr;
    EpilogueOperands operands = channels_.At(b_, channel, residual);
    operands.one_channel = true;
    b_.Store(EmitEpilogue(b_, epilogue_, types_, sums, operands), b_.At(y_, y_offset));
  }

  KernelBuilder& b_;
  const ConvShape& s_;
  const ElementTypes& types_;
  const DotKnobs& k_;
  const Epilogue& epilogue_;
  RowShape row_;
  int64_t in_blocks_, x_column_, x_pixel_, x_row_, w_tap_, w_out_, y_plane_;
  Value *x_ = nullptr, *w_ = nullptr, *y_ = nullptr, *r_ = nullptr;  // of the item's row and the group's channels
  KernelRows rows_;
  ChannelAddresses channels_;
};

class Dot : public KnobSchedule<DotKnobs> {
 public:
  std::string_view name() const override { return "conv2d_dot"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override { return AreFloats(types); }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    const int64_t lanes = machine.vector_lanes;
    const bool whole_sums = std::has_single_bit(static_cast<uint64_t>(lanes));
    return w.is_conv() && w.groups == 1 && w.prologue == Prologue::kNone && whole_sums && w.weight[0] < lanes &&
           w.weight[1] >= lanes;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const DotKnobs& k) const override {
    const ConvShape s(w);
    if (k.ic_block != machine.vector_lanes)
      return fmt::format("ic_block is not one vector of {}", machine.vector_lanes);
    if (s.O % k.tile_oc != 0) return "tile_oc does not divide the output channels";
    if (k.tile_ow > s.OW) return "tile_ow is wider than a row";
    return Registers(k, k.tile_ow).Reject(machine);
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

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const DotKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const ConvShape shape(w);
    builder.Stage(symbol, [&](const StageArgs& args) { DotEmitter(builder, shape, w.types, k, epilogue).Emit(args); });
    EmittedKernel kernel;
    kernel.stages.push_back({symbol, shape.N * shape.OH, 1, 0});
    return kernel;
  }

  TileShape TileWith(const Workload& w, const MachineModel&, const DotKnobs& k) const override {
    const ConvShape s(w);
    const int64_t taps = s.KH * s.KW, in_blocks = CeilDiv(s.C, k.ic_block);
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_ow);
    tile.vectors = static_cast<double>(k.tile_oc);
    tile.line = static_cast<double>(s.OW);
    tile.groups = static_cast<double>(s.O / k.tile_oc);
    tile.steps = static_cast<double>(taps * in_blocks);
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, taps * in_blocks * k.ic_block * k.tile_oc));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, s.KH * s.W * in_blocks * k.ic_block));
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DotKnobs& k) const override;
};

// The constants of the estimate, in cycles, were fitted to 398 cold times of fifteen layers on a Zen 4 core with
// AVX-512: its default takes 2 % more time than the best.
constexpr double kLeastStep = 1.25;     // of a multiply-add's latency, for one tap
constexpr double kProductApart = 0.95;  // for a product and its sum where they are not fused: with SSE on that core
constexpr double kSpilledTap = 2;       // per register that a border's tap finds taken
constexpr double kLaneSum = 2;          // per output,
constexpr double kRun = 4;              // and per run of them that is stored
constexpr double kRowInput = 0.2;       // of a row's first touch of its input that shows
constexpr double kCacheShare = 0.9;     // of a cache that is taken to hold what is used again

// Outputs of a border lie in one straight line with all their taps, and code generation keeps each input that two of
// them read.
double SpilledRegisters(const ConvShape& s, const RowTile& tile, double outputs, const MachineModel& machine) {
  if (!tile.border || s.KW == 1) return 0;
  return std::max(0.0, outputs + static_cast<double>(tile.width) + 2 - machine.vector_registers);
}

double TapCycles(const ConvShape& s, const RowTile& tile, double vectors, const MachineModel& machine) {
  const double pixels = static_cast<double>(tile.width), outputs = pixels * vectors;
  const double step = StepCycles(machine, pixels, vectors, kLeastStep * machine.multiply_add_latency);
  const double products = machine.has_fma ? step : kProductApart * outputs;
  return products + kSpilledTap * SpilledRegisters(s, tile, outputs, machine);
}

// One row of outputs of one group of channels.
double RowCycles(const ConvShape& s, const TileShape& tile, const MachineModel& machine, const DotKnobs& k) {
  double cycles = 0;
  for (const RowTile& part : CutRow(RowOf(s), k.tile_ow)) {
    const auto last = static_cast<uint64_t>(part.width % k.ic_block);
    const double runs = static_cast<double>(part.width / k.ic_block + std::popcount(last));
    const double finish = tile.vectors * (kLaneSum * static_cast<double>(part.width) + kRun * runs);
    cycles += static_cast<double>(part.count) * (tile.steps * TapCycles(s, part, tile.vectors, machine) + finish);
  }
  return cycles;
}

// Every operand of a step is loaded, none is broadcast. The first group of channels brings a row's new inputs near, the
// others read them there.
double Dot::EstimateNsWith(const Workload& w, const MachineModel& machine, const DotKnobs& k) const {
  const ConvShape s(w);
  const TileShape tile = TileWith(w, machine, k);
  const auto moved = [&](double bytes, double footprint) {
    return bytes / MovedBytesPerCycle(machine, footprint, kCacheShare);
  };
  const double line = tile.input_bytes / static_cast<double>(s.KH);
  const double row = RowCycles(s, tile, machine, k), near = moved(tile.input_bytes, tile.input_bytes);
  const double first = row + kRowInput * moved(line, line * static_cast<double>(s.H));
  const double cycles = first + (tile.groups - 1) * std::max(row, near);
  const int64_t items = s.N * s.OH;
  return cycles * static_cast<double>(items) * ThreadShare(items, machine.threads) / machine.clock_ghz;
}

}  // namespace

const Schedule& Conv2dDot() {
  static const Dot schedule;
  return schedule;
}

}  // namespace hone
