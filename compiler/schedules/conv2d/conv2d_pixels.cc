// conv2d_pixels: convolutions whose vectors run along the pixels of plain planes, so that no lane waits for a channel
// that is not there. Columns of outputs have stride 1. The loop nest; the knob that cuts a loop is in brackets.
//
//   for image, for group, for row of outputs                    the work items: the only row of a pointwise convolution
//     for tile of the row [tile_ow]                             has all pixels, and each of its tiles is an item
//       for tile of output channels [tile_oc]
//         acc = 0
//         for input channel [unroll_ic], for kernel row kh that reads inside the input, for tap kw
//           acc[o][v] += w(o) * x(v)
//         epilogue and store
//
// One register tile, here of tile_oc=3 output channels and a tile_ow of two vectors. A box is a register of `lanes`
// pixels:
//
//                    x(0)        x(1)        data[channel][row][column]: tile_ow neighbours
//   w(0): weight     acc[0][0]   acc[0][1]
//   w(1)             acc[1][0]   acc[1][1]
//   w(2)             acc[2][0]   acc[2][1]
//
// Data and output lie as NCHW, weights as OIHW{tile_oc}o: [tile][input channel][kh][kw][output channel]. The data of a
// tile stay in the first cache while it is computed for all output channels. Tiles at a border are emitted one by one,
// and lanes that would read beyond it get zeros.
#include <fmt/format.h>
#include <llvm/Analysis/VectorUtils.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/row_tiles.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

// The rows of a pointwise convolution are one.
ConvShape JoinedShape(const Workload& w) {
  ConvShape s(w);
  if (!s.pointwise()) return s;
  s.W = s.OW = s.H * s.W;
  s.H = s.OH = 1;
  return s;
}

// Channels of a group that one tile takes. Tiles do not straddle groups.
std::vector<int64_t> ChannelTiles(const Workload& w, const MachineModel&) {
  const ConvShape s(w);
  std::vector<int64_t> tiles;
  for (int64_t t = 1; t <= std::min<int64_t>(s.group_out, 14); ++t) {
    if (s.groups == 1 || s.group_out % t == 0) tiles.push_back(t);
  }
  return tiles;
}

std::vector<int64_t> PixelTiles(const Workload& w, const MachineModel& machine) {
  const ConvShape s = JoinedShape(w);
  std::vector<int64_t> widths;
  for (int64_t v : {1, 2, 3, 4, 6}) {
    if (v == 1 || (v - 1) * machine.vector_lanes < s.OW) widths.push_back(v * machine.vector_lanes);
  }
  return widths;
}

std::vector<int64_t> PixelUnrolls(const Workload& w, const MachineModel&) {
  return ConvShape(w).pointwise() ? std::vector<int64_t>{1, 2, 4} : std::vector<int64_t>{1};
}

struct PixelKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Output channels of one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 64}, ChannelTiles);
  // Outputs along w of one register tile, in whole vectors.
  int64_t tile_ow = Row("tile_ow", 8, {1, 512}, PixelTiles);
  // Input channels per inner iteration.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 64}, PixelUnrolls);
  // 1: rows are not joined, and their register tiles are work items (conv_emitter.h).
  int64_t column_items = Row(kColumnItems, 0, {0, 1}, Always<>);
};

// The extents that the knobs give a shape.
struct PixelNest {
  ConvShape shape;
  ElementTypes types;
  const PixelKnobs& knobs;  // must outlive the nest
  int lanes;
  RowShape row;
  int64_t tiles, columns;  // tiles of a group's output channels, items of a row

  PixelNest(const Workload& w, const MachineModel& machine, const PixelKnobs& k)
      : shape(k.column_items > 0 ? ConvShape(w) : JoinedShape(w)),
        types(w.types),
        knobs(k),
        lanes(static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.tile_ow))),
        row{shape.OW, shape.W, shape.KW, shape.stride_w, shape.pad_l, shape.dil_w},
        tiles(CeilDiv(shape.group_out, k.tile_oc)),
        columns(joined() ? CeilDiv(shape.OW, k.tile_ow) : 1) {}
  // Whether an image is one row.
  bool joined() const { return shape.pointwise() && knobs.column_items == 0; }
  RowItems Items() const { return {row, knobs.tile_ow, knobs.column_items != 0}; }
  int64_t items() const { return shape.N * shape.groups * shape.OH * columns * Items().items(); }
  int64_t taps() const { return shape.KH * shape.KW; }
  int64_t last_channels() const { return shape.group_out - (tiles - 1) * knobs.tile_oc; }
  RegisterTile Registers(int64_t channels, int64_t width) const {
    return {static_cast<int>(channels), static_cast<int>(CeilDiv(width, lanes)), lanes};
  }
};

// The value's lanes from lane `first` on, among zeros.
Value* BetweenZeros(KernelBuilder& b, Value* value, int first, int lanes) {
  const int held = LaneCount(value);
  if (held == lanes) return value;
  Value* zeros = llvm::Constant::getNullValue(b.VecType(lanes));
  if (held == 1) return b.ir().CreateInsertElement(zeros, value, static_cast<uint64_t>(first));
  std::vector<int> mask(static_cast<size_t>(lanes), held);  // the first of the zeros
  for (int l = 0; l < held; ++l) Nth(mask, first + l) = l;
  return b.ir().CreateShuffleVector(value, llvm::Constant::getNullValue(value->getType()), llvm::ArrayRef<int>(mask));
}

Value* FirstLanes(KernelBuilder& b, Value* value, int lanes) {
  if (LaneCount(value) == lanes) return value;
  if (lanes == 1) return b.ir().CreateExtractElement(value, uint64_t{0});
  return b.ir().CreateShuffleVector(value, llvm::createSequentialMask(0, static_cast<unsigned>(lanes), 0));
}

class PixelEmitter : ConvEmitter<PixelNest> {
 public:
  PixelEmitter(KernelBuilder& builder, const PixelNest& nest, const Epilogue& epilogue)
      : ConvEmitter(builder, nest, epilogue),
        x_row_(Bytes(types_.data, s_.W)),
        x_plane_(s_.H * x_row_),
        w_tap_(Bytes(types_.weight, k_.tile_oc)),
        w_channel_(nest.taps() * w_tap_),
        y_plane_(Bytes(types_.output, s_.OH * s_.OW)) {}

  void Emit(const StageArgs& args) {
    ReadOperands(args);
    const RowItems items = nest_.Items();
    items.ForRows(b_, args.begin, args.end, [&](Value* item, const RowItems::Part& part) {
      Value *column = b_.Mod(item, nest_.columns), *line = b_.Div(item, nest_.columns);
      Value *row = b_.Mod(line, s_.OH), *plane = b_.Div(line, s_.OH);
      Value *group = b_.Mod(plane, s_.groups), *n = b_.Div(plane, s_.groups);
      rows_ = KernelRowsInside(b_, s_, row);
      // The address of tap (0, 0) of output 0 may lie before the image; taps that would read there are clipped.
      x_ = b_.At(b_.At(data_, b_.Mul(n, data_stride_)), b_.Mul(group, s_.group_in * x_plane_));
      x_ = b_.At(b_.At(x_, b_.Mul(row, s_.stride_h * x_row_)), -s_.pad_t * x_row_ - Bytes(types_.data, s_.pad_l));
      w_ = b_.At(weight_, b_.Mul(group, nest_.tiles * s_.group_in * w_channel_));
      channels_ = behind_.channels.Skip(b_, group, s_.group_out);
      Value* offset = b_.Add(b_.Mul(group, s_.group_out * y_plane_), b_.Mul(row, Bytes(types_.output, s_.OW)));
      y_ = b_.At(behind_.Output(b_, n), offset);
      r_ = epilogue_.residual ? b_.At(behind_.Residual(b_, n), offset) : nullptr;
      nest_.columns > 1 ? OneTile(column) : Tiles(items, part);
    });
  }

 private:
  // Outputs of a row: `width` from `start` on. `border` is their known start if some of their taps lie outside.
  struct Part {
    Value* start;
    int64_t width;
    std::optional<int64_t> border = std::nullopt;
  };

  void Tiles(const RowItems& items, const RowItems::Part& part) {
    items.ForTiles(b_, part, [&](const RowTile& tile, Value* i, int64_t) {
      if (tile.border) return Channels({b_.Index(tile.start), tile.width, tile.start});
      Channels({b_.Add(b_.Mul(i, tile.width), tile.start), tile.width});
    });
  }

  void OneTile(Value* column) {
    const int64_t last = s_.OW - (nest_.columns - 1) * k_.tile_ow;
    Value* start = b_.Mul(column, k_.tile_ow);
    if (last == k_.tile_ow) return Channels({start, last});
    b_.If(
        b_.ir().CreateICmpEQ(column, b_.Index(nest_.columns - 1)), [&] { Channels({start, last}); },
        [&] { Channels({start, k_.tile_ow}); });
  }

  void Channels(const Part& part) {
    const int64_t last = nest_.last_channels(), whole = nest_.tiles - (last < k_.tile_oc ? 1 : 0);
    b_.For(0, whole, 1, [&](Value* tile) { Tile(part, tile, k_.tile_oc); });
    if (last < k_.tile_oc) Tile(part, b_.Index(whole), last);
  }

  void Tile(const Part& part, Value* tile, int64_t channels) {
    const RegisterTile registers = nest_.Registers(channels, part.width);
    Value* x = b_.At(x_, b_.Mul(part.start, Bytes(types_.data)));
    Value* w = b_.At(w_, b_.Mul(tile, s_.group_in * w_channel_));
    const int64_t whole = s_.group_in - s_.group_in % k_.unroll_ic;
    Vals acc = InputChannels(part, registers, x, w, 0, whole, k_.unroll_ic, registers.Zeros(b_, types_.accumulator));
    acc = InputChannels(part, registers, x, w, whole, s_.group_in, 1, acc);
    const ChannelAddresses of_channels = channels_.Skip(b_, tile, k_.tile_oc);
    Value* at = b_.Add(b_.Mul(tile, k_.tile_oc * y_plane_), b_.Mul(part.start, Bytes(types_.output)));
    for (int o = 0; o < registers.pixels; ++o) {
      for (int v = 0; v < registers.vectors; ++v) {
        const int64_t place = o * y_plane_ + Bytes(types_.output, int64_t{v} * nest_.lanes);
        Finish(of_channels, o, FirstLanes(b_, Nth(acc, o * registers.vectors + v), LanesOf(part, v)),
               b_.Add(at, place));
      }
    }
  }

  int LanesOf(const Part& part, int vector) const {
    return static_cast<int>(std::min<int64_t>(nest_.lanes, part.width - int64_t{vector} * nest_.lanes));
  }

  Vals InputChannels(const Part& part, const RegisterTile& registers, Value* x, Value* w, int64_t lo, int64_t hi,
                     int64_t unroll, const Vals& start) {
    return b_.Loop(lo, hi, unroll, start, [&](Value* channel, const Vals& in) {
      Value *plane = b_.At(x, b_.Mul(channel, x_plane_)), *filter = b_.At(w, b_.Mul(channel, w_channel_));
      Vals acc = in;
      for (int64_t u = 0; u < unroll; ++u) {
        Value *plane_x = b_.At(plane, u * x_plane_), *plane_w = b_.At(filter, u * w_channel_);
        acc = b_.Loop(rows_.first, rows_.end, 1, acc, [&](Value* kh, const Vals& in_row) {
          Value* row_x = b_.At(plane_x, b_.Mul(kh, s_.dil_h * x_row_));
          return Taps(part, registers, row_x, b_.At(plane_w, b_.Mul(kh, s_.KW * w_tap_)), in_row);
        });
      }
      return acc;
    });
  }

  Vals Taps(const Part& part, const RegisterTile& registers, Value* x, Value* w, Vals acc) {
    for (int64_t kw = 0; kw < s_.KW; ++kw) {
      registers.Step(
          b_, acc, [&](int o) { return Load(types_.weight, b_.At(w, kw * w_tap_ + Bytes(types_.weight, o)), 1); },
          [&](int v) { return Inputs(part, x, kw, v); });
    }
    return acc;
  }

  Value* Load(DType stored, Value* ptr, int lanes) { return LoadConverted(b_, stored, ptr, lanes, types_.accumulator); }

  Value* Inputs(const Part& part, Value* x, int64_t kw, int vector) {
    const int64_t output = int64_t{vector} * nest_.lanes;
    int first = 0, end = LanesOf(part, vector);
    const auto outside = [&](int lane) {
      return part.border && !TapInside(nest_.row, *part.border + output + lane, kw);
    };
    while (first < end && outside(first)) ++first;
    while (first < end && outside(end - 1)) --end;
    if (first == end) return llvm::Constant::getNullValue(b_.VecType(nest_.lanes));
    Value* from = b_.At(x, Bytes(types_.data, output + first + kw * s_.dil_w));
    return BetweenZeros(b_, Load(types_.data, from, end - first), first, nest_.lanes);
  }

  void Finish(const ChannelAddresses& of_channels, int channel, Value* sums, Value* at) {
    EpilogueOperands operands = of_channels.At(b_, channel, r_ != nullptr ? b_.At(r_, at) : nullptr);
    operands.one_channel = true;
    b_.Store(EmitEpilogue(b_, epilogue_, types_, sums, operands), b_.At(y_, at));
  }

  int64_t x_row_, x_plane_, w_tap_, w_channel_, y_plane_;            // in bytes
  Value *x_ = nullptr, *w_ = nullptr, *y_ = nullptr, *r_ = nullptr;  // at the item's row and group
  KernelRows rows_;
  ChannelAddresses channels_;  // of the group
};

// Multiply-adds in blocks of channels over those that are needed. Few channels of one group are read as they are.
double BlocksCost(const ConvShape& s, int64_t lanes) {
  const auto in_blocks = [&](int64_t channels) { return static_cast<double>(CeilDiv(channels, lanes) * lanes); };
  const bool thin = s.groups == 1 && s.C < lanes / 2;
  const double inputs = thin ? static_cast<double>(s.C) : in_blocks(s.group_in);
  return in_blocks(s.group_out) * inputs / static_cast<double>(s.group_out * s.group_in);
}

class PixelSchedule : public KnobSchedule<PixelKnobs> {
 public:
  std::string_view name() const override { return "conv2d_pixels"; }
  int version() const override { return 1; }
  // Elsewhere blocks of channels are as fast, and their neighbours in a network keep them. With few products for each
  // element, moving elements into blocks and back costs as much.
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    constexpr double kIdle = 1.05;
    constexpr int64_t kMostProducts = 24, kMostTaps = 16;  // per element moved; in a straight line
    if (!w.is_conv() || w.is_depthwise() || w.prologue != Prologue::kNone) return false;
    const ConvShape s(w);
    const int64_t products = s.group_out * s.group_in * s.KH * s.KW;
    const bool few = products <= kMostProducts * (s.group_out + s.group_in);
    return s.stride_w == 1 && s.KW <= kMostTaps && (few || BlocksCost(s, machine.vector_lanes) > kIdle);
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const PixelKnobs& k) const override {
    const PixelNest nest(w, machine, k);
    const ConvShape& s = nest.shape;
    if (k.tile_ow % nest.lanes != 0) return fmt::format("tile_ow is not a multiple of {} lanes", nest.lanes);
    if (k.tile_ow - nest.lanes >= s.OW) return "tile_ow has a vector of no pixels";
    if (k.tile_oc > s.group_out) return "tile_oc is more than the output channels of a group";
    if (s.groups > 1 && s.group_out % k.tile_oc != 0) return "tile_oc does not divide the output channels of a group";
    if (k.unroll_ic > s.group_in) return "unroll_ic is more than the input channels";
    const RegisterTile tile = nest.Registers(k.tile_oc, k.tile_ow);
    if (auto spills = tile.Reject(machine)) return spills;
    if (tile.pixels * tile.vectors * k.unroll_ic * s.KW > 640) return "more than 640 multiply-adds in a straight line";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const PixelKnobs& k,
                                          const Epilogue& epilogue) const override {
    const Layout image = Layout::Parse("NCHW");
    const std::string o = k.tile_oc == 1 ? "" : fmt::format("{}o", k.tile_oc);
    std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, image},
                                        {OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse("OIHW" + o)}};
    AddChannelOperands(w, epilogue, Layout::Parse("O"), Layout::Parse("CHW"), operands);
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), image});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), image});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const PixelKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const PixelNest nest(w, machine, k);
    builder.Stage(symbol, [&](const StageArgs& args) { PixelEmitter(builder, nest, epilogue).Emit(args); });
    EmittedKernel kernel;
    kernel.stages.push_back({symbol, nest.items(), 1, 0});
    const ConvShape& s = nest.shape;
    std::vector<StageAxis> axes{{nest.columns}};
    if (!nest.joined()) axes = nest.Items().Axes(s, s.OH);
    axes.insert(axes.begin(), {{s.N, 0}, {s.groups}});
    kernel.boxes = {{0, 0, std::move(axes)}};
    return kernel;
  }

  TileShape TileWith(const Workload& w, const MachineModel& machine, const PixelKnobs& k) const override {
    const PixelNest nest(w, machine, k);
    const ConvShape& s = nest.shape;
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_oc);
    tile.vectors = static_cast<double>(CeilDiv(k.tile_ow, nest.lanes));
    tile.line = static_cast<double>(s.OW);
    tile.groups = static_cast<double>(s.groups * nest.tiles);
    tile.steps = static_cast<double>(s.group_in * nest.taps());
    tile.unroll = static_cast<double>(k.unroll_ic * s.KW);
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, s.group_in * nest.taps() * k.tile_oc));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, s.group_in * s.KH * k.tile_ow));
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const PixelKnobs& k) const override {
    const PixelNest nest(w, machine, k);
    const ConvShape& s = nest.shape;
    double row = 0;
    for (const RowTile& part : CutRow(nest.row, k.tile_ow)) {
      row += static_cast<double>(part.count) *
             (static_cast<double>(nest.tiles - 1) * TileCycles(nest, machine, k.tile_oc, part) +
              TileCycles(nest, machine, nest.last_channels(), part));
    }
    // The first tile of channels reads the data from afar, a few lines of each channel.
    const double bytes = static_cast<double>(Bytes(w.types.data, s.group_in * s.H * s.W));
    const double first = kFirstTouch * bytes / MovedBytesPerCycle(machine, bytes, kPixelCacheShare);
    const double image = static_cast<double>(s.groups) * (static_cast<double>(s.OH) * row + first);
    // In a network every weight comes from memory once.
    const double weights = static_cast<double>(Bytes(w.types.weight, ElementCount(w.weight)));
    return (static_cast<double>(s.N) * image * ThreadShare(nest.items(), machine.threads) +
            kFirstWeights * weights / machine.cold_bytes_per_cycle) /
           machine.clock_ghz;
  }

  // The share of a cache that holds data for reuse; the visible shares of the time of the first touch of data and of
  // weights; cycles to start a tile; loads that an unaligned vector takes more.
  static constexpr double kPixelCacheShare = 0.75, kFirstTouch = 0.5, kFirstWeights = 0.8, kTileStart = 10,
                          kSplitLoad = 1;

  // If the planes' distance is a multiple of a large power of two, a tile's lines share few sets of the first cache.
  static bool StaysNear(const PixelNest& nest, const MachineModel& machine, double vectors) {
    constexpr int64_t kWays = 8;
    const ConvShape& s = nest.shape;
    const int64_t way = machine.l1_bytes / kWays, apart = Bytes(nest.types.data, s.H * s.W);
    const int64_t lines = way / std::max<int64_t>(machine.line_bytes, std::gcd(way, apart)) * kWays;
    const double bytes = static_cast<double>(s.group_in * s.KH * machine.line_bytes) * vectors;
    return s.group_in <= lines && bytes < kPixelCacheShare * static_cast<double>(machine.l1_bytes);
  }

  static double TileCycles(const PixelNest& nest, const MachineModel& machine, int64_t channels, const RowTile& part) {
    const RegisterTile tile = nest.Registers(channels, part.width);
    const double rows = tile.pixels, vectors = tile.vectors, steps = static_cast<double>(nest.shape.group_in);
    const double loaded = nest.shape.pointwise() ? vectors : vectors * (1 + kSplitLoad);
    double step = std::max(StepCycles(machine, rows, vectors, machine.multiply_add_latency),
                           (rows + loaded) / machine.loads_per_cycle);
    const double bytes = vectors * static_cast<double>(Bytes(nest.types.data, nest.lanes));
    if (!StaysNear(nest, machine, vectors)) step = std::max(step, bytes / machine.moved_bytes_per_cycle.l2);
    // Lanes at a border are moved to their places.
    if (part.border) step += vectors;
    step *= static_cast<double>(nest.taps());
    step += static_cast<double>(nest.shape.KH) / static_cast<double>(nest.knobs.unroll_ic);
    return steps * step + 2 * rows * vectors + kTileStart;
  }
};

}  // namespace

const Schedule& Conv2dPixels() {
  static const PixelSchedule schedule;
  return schedule;
}

}  // namespace hone
