// The loop nest. The knob that cuts a loop is in brackets.
//
//   for image, for row of outputs                                    the work items
//     for group of output channels [tile_oc]
//       for tile of the row [tile_ow]                                border tiles are emitted one by one
//         acc = 0
//         for input block, for kernel row kh that reads inside the input, for tap kw
//           acc[p][o] += x(p) * w(o)
//         sums of lanes, epilogue and store
//
// One register tile, here of tile_ow=4 outputs along w and tile_oc=2 channels. A box is a register of `lanes` input
// channels; their sum is the output:
//
//                       w(0): tap of channel 0   w(1): of channel 1     `w_out_` bytes apart
//   x(0): output 0's         acc[0][0]               acc[0][1]
//   x(1): output 1's         acc[1][0]               acc[1][1]          x(p + 1) is `x_vector_` bytes after x(p)
//   x(2)                     acc[2][0]               acc[2][1]
//   x(3)                     acc[3][0]               acc[3][1]
//                                |                       |
//                          LaneSums: y[0][0..3]    y[1][0..3]           neighbours in memory: the output is NCHW
//
// conv2d_direct has output channels as lanes: for an image of 3 output channels it would use 3 of 16. In exchange, each
// output costs a few extra instructions at its end, which is little compared with many taps.
//
// The data's layout is NCHW{ic_block}c, the weights' is OIHW{ic_block}i: [channel: w_out_][input block][kh][kw: w_tap_]
// [input channel]. For bytes, a lane takes four channels in one step, so a block of 16 fills four lanes. A vector holds
// the blocks of four neighbouring outputs, and the weights' 16 bytes are repeated for each. For bfloat16 it is two:
//
//   x(0)  | output 0: c0-3 c4-7 c8-11 c12-15 | output 1: ... | output 2: ... | output 3: ... |
//   w(0)  |           w0-3 w4-7 w8-11 w12-15 |       the same again, three times             |
#include <bit>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/across_lanes.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/schedules/conv2d/conv2d_dot.h"
#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "core/nth.h"

namespace hone {
namespace {

// Emits the stage. All strides are in bytes.
class DotConvEmitter : ConvEmitter<DotNest> {
 public:
  DotConvEmitter(KernelBuilder& builder, const DotNest& nest, const Epilogue& epilogue)
      : ConvEmitter(builder, nest, epilogue),
        lanes_(static_cast<int>(k_.ic_block)),
        x_column_(Bytes(types_.data, k_.ic_block)),
        x_output_(s_.stride_w * x_column_),
        x_vector_(nest.pixels * x_output_),
        x_row_(s_.W * x_column_),
        w_tap_(Bytes(types_.weight, k_.ic_block)),
        w_out_(nest.in_blocks * s_.KH * s_.KW * w_tap_),
        y_plane_(Bytes(types_.output, s_.OH * s_.OW)) {}

  void Emit(const StageArgs& args) {
    ReadOperands(args);
    const RowItems items = nest_.Items();
    items.ForRows(b_, args.begin, args.end, [&](Value* item, const RowItems::Part& part) {
      Value* row = b_.Mod(item, s_.OH);
      Value* n = b_.Div(item, s_.OH);
      rows_ = KernelRowsInside(b_, s_, row);
      // The address of tap (0, 0) of output 0 may lie before the image; taps that would read there are clipped.
      x_ = b_.At(b_.At(data_, b_.Mul(n, data_stride_)), b_.Mul(row, s_.stride_h * x_row_));
      x_ = b_.At(x_, -s_.pad_t * x_row_ - s_.pad_l * x_column_);
      b_.For(0, s_.O / k_.tile_oc, 1, [&](Value* group) {
        w_ = b_.At(weight_, b_.Mul(group, k_.tile_oc * w_out_));
        Value* y_offset = b_.Add(b_.Mul(group, k_.tile_oc * y_plane_), b_.Mul(row, Bytes(types_.output, s_.OW)));
        y_ = b_.At(behind_.Output(b_, n), y_offset);
        r_ = epilogue_.residual ? b_.At(behind_.Residual(b_, n), y_offset) : nullptr;
        channels_ = behind_.channels.Skip(b_, group, k_.tile_oc);
        items.ForTiles(b_, part, [&](const RowTile& tile, Value* i, int64_t) { Tile(tile, i); });
      });
    });
  }

 private:
  void Tile(const RowTile& tile, Value* i) {
    const RegisterTile registers = nest_.Registers(tile.width);
    Value* x = b_.At(b_.At(x_, tile.start * x_output_), b_.Mul(i, tile.width * x_output_));
    const Vals zeros = registers.Zeros(b_, types_.accumulator);
    const Vals acc = b_.Loop(0, nest_.in_blocks, 1, zeros, [&](Value* block, const Vals& in_block) {
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
      const auto inside = [&](int output) { return TapInside(nest_.row, tile.start + output, kw); };
      acc = Tap(registers, b_.At(x, kw * s_.dil_w * x_column_), b_.At(w, kw * w_tap_), inside, acc);
    }
    return acc;
  }

  // `inside` says whether an output of the tile has the tap.
  Vals Tap(const RegisterTile& registers, Value* x, Value* w, const std::function<bool(int)>& inside, Vals acc) {
    registers.Step(
        b_, acc, [&](int p) { return Inputs(b_.At(x, p * x_vector_), p * nest_.pixels, inside); },
        [&](int o) { return Weights(b_.At(w, o * w_out_)); }, nest_.pixels == 1 ? FloatMultiplyAdd : StepOf(types_));
    return acc;
  }

  // The inputs of one vector's outputs, the first at `x`. Null if no output has the tap; zeros for an output that has
  // not.
  Value* Inputs(Value* x, int first_output, const std::function<bool(int)>& inside) {
    int first = 0, end = nest_.pixels;
    while (first < end && !inside(first_output + first)) ++first;
    while (first < end && !inside(first_output + end - 1)) --end;
    if (first == end) return nullptr;
    if (nest_.pixels == 1) return LoadConverted(b_, types_.data, x, lanes_, types_.accumulator);
    Value* read = LoadElements(b_, types_.data, b_.At(x, first * x_column_), (end - first) * lanes_);
    if (end - first < nest_.pixels) read = BetweenZeros(read, first * lanes_, nest_.pixels * lanes_);
    return b_.ir().CreateBitCast(read, VectorOf(b_.ir().getInt32Ty(), lanes_));
  }

  // A vector of `elements` elements: `some` from lane `first` on, zeros elsewhere.
  Value* BetweenZeros(Value* some, int first, int elements) {
    const auto held = static_cast<int>(llvm::cast<llvm::FixedVectorType>(some->getType())->getNumElements());
    std::vector<int> mask(static_cast<size_t>(elements), held);  // the first of the zeros
    for (int l = 0; l < held; ++l) Nth(mask, first + l) = l;
    return b_.ir().CreateShuffleVector(some, llvm::Constant::getNullValue(some->getType()), mask);
  }

  // One output channel's weights of a tap, repeated for each output of a vector.
  Value* Weights(Value* w) {
    if (nest_.pixels == 1) return LoadConverted(b_, types_.weight, w, lanes_, types_.accumulator);
    std::vector<int> mask;
    for (int l = 0; l < nest_.pixels * lanes_; ++l) mask.push_back(l % lanes_);
    return b_.ir().CreateShuffleVector(LoadElements(b_, types_.weight, w, lanes_), mask);
  }

  // A channel's outputs are stored in runs, because LaneSums takes a power of two of vectors.
  void Finish(const RegisterTile& registers, const Vals& acc, Value* y_offset) {
    for (int o = 0; o < registers.vectors; ++o) {
      for (int first = 0; first < registers.pixels;) {
        const auto left = static_cast<unsigned>(std::min(registers.pixels - first, lanes_ / nest_.pixels));
        const int run = static_cast<int>(std::bit_floor(left));
        Vals vectors;
        for (int p = first; p < first + run; ++p) vectors.push_back(Nth(acc, p * registers.vectors + o));
        Value* offset = b_.Add(y_offset, o * y_plane_ + Bytes(types_.output, first * nest_.pixels));
        Store(o, LaneSums(b_, vectors, nest_.pixels), offset);
        first += run;
      }
    }
  }

  void Store(int channel, Value* sums, Value* y_offset) {
    if (channels_.offset != nullptr) {
      Value* offset = LoadElements(b_, DType::kInt32, b_.At(channels_.offset, Bytes(DType::kInt32, channel)), 1);
      sums = b_.ir().CreateAdd(sums, b_.Splat(offset, LaneCount(sums)));
    }
    EpilogueOperands operands = channels_.At(b_, channel, r_ != nullptr ? b_.At(r_, y_offset) : nullptr);
    operands.one_channel = true;
    b_.Store(EmitEpilogue(b_, epilogue_, types_, sums, operands), b_.At(y_, y_offset));
  }

  int lanes_;
  int64_t x_column_, x_output_, x_vector_, x_row_, w_tap_, w_out_, y_plane_;
  Value *x_ = nullptr, *w_ = nullptr, *y_ = nullptr, *r_ = nullptr;  // at the item's row and the group's channels
  KernelRows rows_;
  ChannelAddresses channels_;
};

}  // namespace

EmittedKernel EmitConv2dDot(KernelBuilder& builder, const DotNest& nest, const Epilogue& epilogue,
                            const std::string& symbol) {
  builder.Stage(symbol, [&](const StageArgs& args) { DotConvEmitter(builder, nest, epilogue).Emit(args); });
  EmittedKernel kernel;
  const RowItems items = nest.Items();
  kernel.stages.push_back({symbol, nest.shape.N * nest.shape.OH * items.items(), 1, 0});
  std::vector<StageAxis> axes = items.Axes(nest.shape, nest.shape.OH);
  axes.insert(axes.begin(), {nest.shape.N, 0});
  kernel.boxes = {{0, 0, std::move(axes)}};
  return kernel;
}

}  // namespace hone
