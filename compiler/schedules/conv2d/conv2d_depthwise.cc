// The loop nest. The knob that cuts a loop is in brackets.
//
//   for image, for block of channels [oc_block], for row of outputs          the work items
//     for tile of the row [tile_ow]                                          border tiles are emitted one by one
//       for vector of the block                                              one, where oc_block is the lanes
//         acc = 0
//         for kernel row kh that reads inside the input [unroll_kh]
//           weights: KW vectors, held
//           for input column that some tap reads: load once, and add to each output that has a tap there
//         epilogue and store
//
// One register tile, here of tile_ow=4 outputs with 3 taps, stride and dilation 1. A name is a register of `lanes`
// channels; columns go from left to right, each is loaded before its first use and is not needed after its last:
//
//   column   c0        c1        c2        c3        c4        c5
//   acc[0]   += c0*w0  += c1*w1  += c2*w2
//   acc[1]             += c1*w0  += c2*w1  += c3*w2
//   acc[2]                       += c2*w0  += c3*w1  += c4*w2
//   acc[3]                                 += c3*w0  += c4*w1  += c5*w2
//
// Data and output lie as NCHW{oc_block}c, weights as OIHW{oc_block}o: [block][kh][kw][channel].
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/row_tiles.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/parts/tile_row.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

// The most taps of a product of bytes. This many, of 255 and -128, add up to half of the integers that float32
// holds exactly; the other half remains for offsets.
constexpr int64_t kMostWholeTaps = 256;

// One vector, or the block that conv2d_amx reads and writes without copying it.
std::vector<int64_t> Blocks(const Workload& w, const MachineModel& machine) {
  const int64_t row = TileRow(w.types.output, machine);
  if (row == 0 || w.types.data != w.types.output) return {machine.vector_lanes};
  return {machine.vector_lanes, row};
}

std::vector<int64_t> TileWidths(const Workload& w, const MachineModel& machine) {
  std::vector<int64_t> widths;
  for (int64_t t = 1; t <= std::min<int64_t>(machine.vector_registers - 4, ConvShape(w).OW); ++t) widths.push_back(t);
  return widths;
}

struct DepthwiseKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Channels of a block, in and out.
  int64_t oc_block = Row("oc_block", 8, {1, 128}, Blocks);
  // Outputs along w of one register tile.
  int64_t tile_ow = Row("tile_ow", 1, {1, 64}, TileWidths);
  // 1: kernel rows in a straight line, for output rows that no padding clips.
  int64_t unroll_kh = Row("unroll_kh", 0, {0, 1}, Always<0, 1>);
  // 1: register tiles of a row are work items (conv_emitter.h).
  int64_t column_items = Row(kColumnItems, 0, {0, 1}, Always<>);
};

RowShape RowOf(const ConvShape& s) { return {s.OW, s.W, s.KW, s.stride_w, s.pad_l, s.dil_w}; }
RowItems ItemsOf(const ConvShape& s, const DepthwiseKnobs& k) { return {RowOf(s), k.tile_ow, k.column_items != 0}; }

// Emits one vector per pixel at a time; a block wider than a vector takes several passes over the tile.
class DepthwiseEmitter {
 public:
  DepthwiseEmitter(KernelBuilder& builder, const ConvShape& shape, const ElementTypes& types,
                   const DepthwiseKnobs& knobs, const Epilogue& epilogue)
      : b_(builder),
        s_(shape),
        types_(Computed(types)),
        k_(knobs),
        epilogue_(epilogue),
        row_(RowOf(shape)),
        items_(ItemsOf(shape, knobs)),
        lanes_(static_cast<int>(std::min<int64_t>(builder.lanes(), knobs.oc_block))),
        x_column_(Bytes(types.data, knobs.oc_block)),
        w_tap_(Bytes(types.weight, knobs.oc_block)),
        y_column_(Bytes(types.output, knobs.oc_block)) {}

  void Emit(const StageArgs& args) {
    Value* data = b_.Operand(args, 0);
    Value* data_stride = b_.BatchStride(args, 0);
    Value* weight = b_.Operand(args, 1);
    const EpilogueAddresses behind = ReadEpilogueAddresses(b_, args, epilogue_, 2);
    const int64_t blocks = CeilDiv(s_.C, k_.oc_block);
    items_.ForRows(b_, args.begin, args.end, [&](Value* item, const RowItems::Part& part) {
      Value* row = b_.Mod(item, s_.OH);
      Value* plane = b_.Div(item, s_.OH);
      Value* block = b_.Mod(plane, blocks);
      Value* n = b_.Div(plane, blocks);
      first_channel_ = b_.Mul(block, k_.oc_block);
      Value* y_offset = b_.Add(b_.Mul(block, s_.OH * s_.OW * y_column_), b_.Mul(row, s_.OW * y_column_));
      x_ = b_.At(b_.At(data, b_.Mul(n, data_stride)), b_.Mul(block, s_.H * s_.W * x_column_));
      // The address of tap (0, 0) of output 0 may lie before the image; taps that would read there are clipped.
      x_ = b_.At(b_.At(x_, b_.Mul(row, s_.stride_h * s_.W * x_column_)), -(s_.pad_t * s_.W + s_.pad_l) * x_column_);
      w_ = b_.At(weight, b_.Mul(block, s_.KH * s_.KW * w_tap_));
      y_ = b_.At(behind.Output(b_, n), y_offset);
      if (epilogue_.residual) r_ = b_.At(behind.Residual(b_, n), y_offset);
      channels_ = behind.channels.Skip(b_, block, k_.oc_block);
      Row(row, part);
    });
  }

 private:
  // Sums of so few products of bytes are integers that float32 holds, so its multiply-add is exact: see Applies.
  static ElementTypes Computed(ElementTypes types) {
    if (types.whole()) types.accumulator = DType::kFloat32;
    return types;
  }

  void Row(Value* row, const RowItems::Part& of_row) {
    const KernelRows rows = KernelRowsInside(b_, s_, row);
    const bool clips = !llvm::isa<llvm::Constant>(rows.first) || !llvm::isa<llvm::Constant>(rows.end);
    if (!k_.unroll_kh || !clips) return Tiles(of_row, rows.first, rows.end);
    Value* whole = b_.ir().CreateICmpEQ(b_.Sub(rows.end, rows.first), b_.Index(s_.KH));
    b_.If(whole, [&] { Tiles(of_row, b_.Index(0), b_.Index(s_.KH)); }, [&] { Tiles(of_row, rows.first, rows.end); });
  }

  void Tiles(const RowItems::Part& of_row, Value* kh_lo, Value* kh_hi) {
    items_.ForTiles(b_, of_row, [&](const RowTile& tile, Value* i, int64_t) {
      for (int64_t part = 0; part < k_.oc_block; part += lanes_) Tile(tile, i, part, kh_lo, kh_hi);
    });
  }

  // Channels [part, part + lanes) of the block.
  void Tile(const RowTile& tile, Value* i, int64_t part, Value* kh_lo, Value* kh_hi) {
    const int64_t x_pixel = s_.stride_w * x_column_, w_part = Bytes(types_.weight, part);
    Value* x = b_.At(b_.At(x_, tile.start * x_pixel + Bytes(types_.data, part)), b_.Mul(i, tile.width * x_pixel));
    Value* offset = b_.Add(b_.Mul(i, tile.width * y_column_), tile.start * y_column_ + Bytes(types_.output, part));
    Vals acc = RegisterTile{static_cast<int>(tile.width), 1, lanes_}.Zeros(b_, types_.accumulator);
    if (channels_.offset) {
      Value* offsets = b_.At(channels_.offset, Bytes(DType::kInt32, part));
      acc.assign(acc.size(), LoadConverted(b_, DType::kInt32, offsets, lanes_, types_.accumulator));
    }
    const auto* first = llvm::dyn_cast<llvm::ConstantInt>(kh_lo);
    const auto* last = llvm::dyn_cast<llvm::ConstantInt>(kh_hi);
    if (k_.unroll_kh && first && last) {
      for (int64_t kh = first->getSExtValue(); kh < last->getSExtValue(); ++kh) {
        acc = KernelRow(tile, b_.At(x, kh * s_.dil_h * s_.W * x_column_), b_.At(w_, kh * s_.KW * w_tap_ + w_part), acc);
      }
    } else {
      acc = b_.Loop(kh_lo, kh_hi, 1, acc, [&](Value* kh, const Vals& in) {
        return KernelRow(tile, b_.At(x, b_.Mul(kh, s_.dil_h * s_.W * x_column_)),
                         b_.At(b_.At(w_, b_.Mul(kh, s_.KW * w_tap_)), w_part), in);
      });
    }
    for (int64_t p = 0; p < tile.width; ++p) {
      Value* residual = r_ ? b_.At(b_.At(r_, offset), p * y_column_) : nullptr;
      const EpilogueOperands operands = channels_.At(b_, part, residual);
      Value* done = EmitEpilogue(b_, epilogue_, types_, Nth(acc, p), operands);
      b_.Store(MaskTailLanes(b_, epilogue_, done, b_.Add(first_channel_, part), s_.C, k_.oc_block),
               b_.At(b_.At(y_, offset), p * y_column_));
    }
  }

  Vals KernelRow(const RowTile& tile, Value* x, Value* w, Vals acc) {
    Vals weights;
    for (int64_t kw = 0; kw < s_.KW; ++kw) weights.push_back(Load(types_.weight, b_.At(w, kw * w_tap_)));
    // Each input column is loaded once, when the first tap needs it, and is not held after the last.
    std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> uses;
    for (int64_t p = 0; p < tile.width; ++p) {
      for (int64_t kw = 0; kw < s_.KW; ++kw) {
        if (TapInside(row_, tile.start + p, kw)) uses[p * s_.stride_w + kw * s_.dil_w].push_back({p, kw});
      }
    }
    for (const auto& [column, taps] : uses) {
      Value* value = Load(types_.data, b_.At(x, column * x_column_));
      for (const auto& [p, kw] : taps) {
        Value*& a = Nth(acc, p);
        a = b_.Fma(value, Nth(weights, kw), a);
      }
    }
    return acc;
  }

  Value* Load(DType stored, Value* ptr) { return LoadConverted(b_, stored, ptr, lanes_, types_.accumulator); }

  KernelBuilder& b_;
  const ConvShape& s_;
  const ElementTypes types_;  // the types in which it computes
  const DepthwiseKnobs& k_;
  const Epilogue& epilogue_;
  RowShape row_;
  RowItems items_;
  int lanes_;
  int64_t x_column_, w_tap_, y_column_;  // bytes of a block's channels
  Value *x_ = nullptr, *w_ = nullptr, *y_ = nullptr, *r_ = nullptr, *first_channel_ = nullptr;
  ChannelAddresses channels_;  // of the block
};

class Depthwise : public KnobSchedule<DepthwiseKnobs> {
 public:
  std::string_view name() const override { return "conv2d_depthwise"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return AreFloats(types) || types == ByteTypes(DType::kUInt8) || types == ByteTypes(DType::kFloat32);
  }
  bool Applies(const Workload& w, const MachineModel&) const override {
    if (!w.is_depthwise() || w.prologue != Prologue::kNone) return false;
    return !w.types.whole() || w.weight[2] * w.weight[3] <= kMostWholeTaps;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const DepthwiseKnobs& k) const override {
    const ConvShape s(w);
    const int64_t lanes = std::min<int64_t>(machine.vector_lanes, k.oc_block);
    if (k.oc_block % lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", lanes);
    if (k.tile_ow > s.OW) return "tile_ow is wider than a row";
    const int64_t registers = k.tile_ow + std::min<int64_t>(s.KW, 3) + 1;
    if (registers > machine.vector_registers) {
      return fmt::format("the register tile needs {} of {} registers", registers, machine.vector_registers);
    }
    if (k.tile_ow * s.KW * (k.unroll_kh ? s.KH : 1) > 640) return "more than 640 multiply-adds in a straight line";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DepthwiseKnobs& k,
                                          const Epilogue& epilogue) const override {
    const std::string c = k.oc_block == 1 ? "" : fmt::format("{}", k.oc_block);
    const auto blocked = [&](const char* letter) { return c.empty() ? c : c + letter; };
    const Layout data = Layout::Parse("NCHW" + blocked("c"));
    std::vector<KernelOperand> operands{
        {OperandRole::kData, w.types.data, w.data, data},
        {OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse("OIHW" + blocked("o"))}};
    AddChannelOperands(w, epilogue, Layout::Parse("O" + blocked("o")), Layout::Parse("CHW" + blocked("c")), operands);
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), data});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), data});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const DepthwiseKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const ConvShape shape(w);
    builder.Stage(symbol,
                  [&](const StageArgs& args) { DepthwiseEmitter(builder, shape, w.types, k, epilogue).Emit(args); });
    EmittedKernel kernel;
    const int64_t blocks = CeilDiv(shape.C, k.oc_block);
    const RowItems items = ItemsOf(shape, k);
    kernel.stages.push_back({symbol, shape.N * blocks * shape.OH * items.items(), 1, 0});
    std::vector<StageAxis> axes = items.Axes(shape, shape.OH);
    axes.insert(axes.begin(), {{shape.N, 0}, {blocks}});
    kernel.boxes = {{0, 0, std::move(axes)}};
    return kernel;
  }

  // Tiles are one vector wide and nothing is summed over channels, so a line's input is only that of its own vector.
  TileShape TileWith(const Workload& w, const MachineModel& machine, const DepthwiseKnobs& k) const override {
    const ConvShape s(w);
    const int64_t lanes = std::min<int64_t>(machine.vector_lanes, k.oc_block);
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_ow);
    tile.line = static_cast<double>(s.OW);
    tile.groups = static_cast<double>(CeilDiv(s.C, lanes));
    tile.steps = static_cast<double>(s.KH * s.KW);
    tile.unroll = static_cast<double>(k.unroll_kh ? s.KH * s.KW : s.KW);
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, s.KH * s.KW * lanes));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, s.KH * s.W * lanes));
    return tile;
  }

  // Number of registers beyond the machine's. LLVM spills them if kernel rows are unrolled and no operand is read from
  // memory. LLVM then holds the columns of a row and all taps. Read off the code of 3x3 kernels for NEON and RVV.
  static double SpilledRegisters(const ConvShape& s, const MachineModel& machine, const DepthwiseKnobs& k) {
    const bool loads_all = machine.broadcast == Broadcast::kLane || machine.broadcast == Broadcast::kScalar;
    if (!loads_all || !k.unroll_kh) return 0;
    constexpr int64_t kSpare = 4;
    const int64_t columns = k.tile_ow * std::min(s.stride_w, s.KW) + s.KW - s.stride_w;
    return static_cast<double>(
        std::max<int64_t>(0, k.tile_ow + columns + s.KH * s.KW + kSpare - machine.vector_registers));
  }

  // Multiply-adds and loads of a tile run side by side, and an input column is loaded once per kernel row. Tiles
  // overlap in flight, so latency does not show. Accumulators beyond half the registers leave too few for the columns.
  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DepthwiseKnobs& k) const override {
    const ConvShape s(w);
    const double passes = static_cast<double>(CeilDiv(k.oc_block, machine.vector_lanes));
    const double crowd = std::max(0.0, static_cast<double>(k.tile_ow) / machine.vector_registers - 0.5);
    // Each spilled register is stored and loaded again for every kernel row.
    const double spilling = 2 * SpilledRegisters(s, machine, k) / machine.loads_per_cycle;
    double cycles = 0;
    for (int64_t start = 0; start < s.OW; start += k.tile_ow) {
      const double pixels = static_cast<double>(std::min(k.tile_ow, s.OW - start));
      const double columns =
          pixels * static_cast<double>(std::min(s.stride_w, s.KW)) + static_cast<double>(s.KW - s.stride_w);
      const double taps = static_cast<double>(s.KW);
      const double row =
          std::max(pixels * taps / machine.multiply_adds_per_cycle, (columns + taps) / machine.loads_per_cycle);
      cycles +=
          passes * (static_cast<double>(s.KH) * (row * (1 + crowd) + spilling + (k.unroll_kh ? 0 : 1)) + pixels + 6);
    }
    const int64_t items = s.N * CeilDiv(s.C, k.oc_block) * s.OH;
    return cycles * static_cast<double>(items) * ThreadShare(items, machine.threads) / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& Conv2dDepthwise() {
  static const Depthwise schedule;
  return schedule;
}

}  // namespace hone
