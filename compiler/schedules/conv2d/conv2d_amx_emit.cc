// The kernel has two stages. If the input is padded or lies in narrower blocks, stage 1 copies it into the shared
// workspace (conv2d_amx_fill.cc). The copy has its padding and blocks of a tile's row, so no later loop has to know of
// borders. Stage 2 is the convolution. The knob that cuts a loop is in brackets:
//
//   loop_order=0: a group's weights stay near        loop_order=1: a band's input stays near
//     for image n                                      for image n
//      for group of channels [tile_oc x 16]             for band of rows of outputs [tile_oh]
//       for band of rows of outputs [tile_oh]            for group of channels [tile_oc x 16]
//
//   inside both:
//     for register tile of the band [tile_ow]          tiles lie as TileLines says
//       sums = 0, or an offset per channel
//       for input block, kernel row, tap               [prefetch]: weights are fetched so many steps ahead
//         sums(p, v) += x(p) * w(v)
//       sums to the worker's workspace, epilogue, store
//
// The drawing shows one register tile, here of tile_ow=32 outputs and tile_oc=2. Each w, x and sums is a tile register:
//
//                                          w(0)         w(1)        16 output channels each, of 64 channels in
//   x(0): neighbouring outputs          sums(0, 0)   sums(0, 1)
//   x(1): those of the next tile        sums(1, 0)   sums(1, 1)
//
// A row of x is one pixel's block of channels. A row of w holds four channels (two for bfloat16) of 16 output channels.
// A row of sums is 16 channels of one output. The smaller of the two sets x and w is held for the step, the other
// streams through. If the input is thin, a row of x is several neighbouring pixels of four channels. They are all
// taps of one kernel row, and rows of x overlap:
//
//   one tile, dense input                           thin input, kernel row of 3 taps, stride 1
//     x row 0 | pixel 0: c0 ......... c63 |           x row 0 | pixel 0 | pixel 1 | pixel 2 | ..    weights past
//     x row 1 | pixel 1: c0 ......... c63 |           x row 1 | pixel 1 | pixel 2 | pixel 3 | ..    the taps are 0
//     w row 0 | o0: c0-3 | .. | o15: c0-3 |           w row 0 | o0: tap 0 | o1: tap 0 | .. | o15: tap 0 |
//     w row 1 | o0: c4-7 | .. | o15: c4-7 |           w row 1 | o0: tap 1 | o1: tap 1 | .. | o15: tap 1 |
//
// The operands' layouts:
//   plane   [input block: x_block_][row: x_row_][column: x_column_][channels of a tile's row]
//   weight  [group][input block: w_block_][kh][kw][tile_oc][16 rows of four channels][16 output channels][4 channels]
//   output  NCHW{oc_block}c
// So a register tile reads its weights from front to back, and the next group's weights follow.
#include <llvm/IR/Constants.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv2d_amx.h"
#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/packed_bytes.h"

namespace hone {
namespace {

// Emits stage 2. A work item is a band of one channel group: ((n * groups) + group) * bands + band, or with loop_order
// 1 ((n * bands) + band) * groups + group. All strides are in bytes.
class AmxEmitter : ConvEmitter<AmxNest> {
 public:
  AmxEmitter(KernelBuilder& builder, const AmxNest& nest, const Epilogue& epilogue)
      : ConvEmitter(builder, nest, epilogue),
        tiles_(builder),
        lines_(nest.lines),
        outputs_(static_cast<int>(nest.together())),
        channels_(static_cast<int>(nest.knobs.tile_oc)) {
    x_row_ = nest.plane_w * nest.pixel_bytes;
    x_block_ = nest.plane_h * x_row_;
    x_step_ = s_.stride_w * nest.pixel_bytes;
    w_step_ = channels_ * kFullTileBytes;
    w_block_ = nest.taps() * w_step_;
    y_column_ = Bytes(nest.types.output, k_.oc_block);
    y_block_ = s_.OH * s_.OW * y_column_;
    band_outputs_ = k_.tile_oh * s_.OW;
    const int64_t tiles = lines_.tiles();
    full_ = tiles / outputs_;
    rest_ = static_cast<int>(tiles % outputs_);
  }

  static int64_t ScratchBytes(const AmxNest& nest) { return nest.together() * nest.knobs.tile_oc * kFullTileBytes; }

  void Emit(const StageArgs& args) {
    LoadOperands(args);
    tiles_.Configure(Rows());
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      const int64_t inner = k_.loop_order == 0 ? nest_.bands : nest_.groups;
      const int64_t outer = k_.loop_order == 0 ? nest_.groups : nest_.bands;
      Value* first = b_.Mod(b_.Div(item, inner), outer);
      Value* second = b_.Mod(item, inner);
      SelectImage(b_.Div(item, inner * outer));
      SelectGroup(k_.loop_order == 0 ? first : second);
      Band(k_.loop_order == 0 ? second : first);
    });
    tiles_.Release();
  }

 private:
  // Register numbers: sums first, then the held operands, then the streamed ones. A tile of fewer outputs uses fewer
  // sums.
  int Sums(int output, int channel) const { return output * channels_ + channel; }
  bool holds_weights() const { return channels_ <= outputs_; }
  int FirstHeld() const { return outputs_ * channels_; }
  int FirstStreamed() const { return FirstHeld() + std::min(outputs_, channels_); }

  std::array<int, MatrixTiles::kRegisters> Rows() const {
    std::array<int, MatrixTiles::kRegisters> rows{};
    const auto of_outputs = static_cast<int>(lines_.width);
    for (int i = 0; i < MatrixTiles::kRegisters; ++i) {
      const bool weights = i >= FirstHeld() && (i < FirstStreamed()) == holds_weights();
      rows.at(static_cast<size_t>(i)) = weights ? kTileColumns : of_outputs;
    }
    return rows;
  }

  void LoadOperands(const StageArgs& args) {
    plane_ = nest_.filled ? b_.SharedWorkspace(args) : b_.Operand(args, 0);
    plane_stride_ = nest_.filled ? b_.Index(nest_.plane_bytes()) : b_.BatchStride(args, 0);
    scratch_ = b_.WorkerWorkspace(args);
    weight_ = b_.Operand(args, 1);
    behind_ = ReadEpilogueAddresses(b_, args, epilogue_, 2);
  }

  void SelectImage(Value* n) {
    image_x_ = b_.At(plane_, b_.Mul(n, plane_stride_));
    image_y_ = behind_.Output(b_, n);
    image_r_ = behind_.Residual(b_, n);
  }

  void SelectGroup(Value* group) {
    group_ = group;
    group_w_ = b_.At(weight_, b_.Mul(group, nest_.in_blocks * w_block_));
    of_group_ = behind_.channels.Skip(b_, group, int64_t{channels_} * kTileColumns);
    vectors_y_.clear();
    for (int v = 0; v < channels_; ++v) vectors_y_.push_back(VectorOffset(b_.Add(b_.Mul(group, channels_), v)));
  }

  // The offset of a vector of 16 output channels within each pixel.
  Value* VectorOffset(Value* vector) {
    const int64_t per_block = k_.oc_block / kTileColumns;
    return b_.Add(b_.Mul(b_.Div(vector, per_block), y_block_),
                  b_.Mul(b_.Mod(vector, per_block), Bytes(nest_.types.output, kTileColumns)));
  }

  void Band(Value* band) {
    band_x_ = b_.At(image_x_, b_.Mul(band, k_.tile_oh * s_.stride_h * x_row_));
    band_y_ = b_.Mul(band, band_outputs_ * y_column_);
    b_.For(0, full_, 1, [&](Value* i) { Tile(b_.Mul(i, outputs_), outputs_); });
    if (rest_ > 0) Tile(b_.Index(full_ * outputs_), rest_);
    ZeroRest();
  }

  // The inputs that a tile of outputs reads, and the outputs that it stores.
  struct Place {
    Value* x;
    Value* line;
    Value* start;  // of the line
    Value* own;    // the first output that no tile before has computed
  };

  Place PlaceOf(Value* tile) {
    Place place{};
    place.line = b_.Div(tile, lines_.per_line);
    Value* even = b_.Mul(b_.Mod(tile, lines_.per_line), lines_.width);
    place.start = b_.Min(even, b_.Index(lines_.length - lines_.width));
    place.own = b_.Sub(even, place.start);
    if (lines_.per_line * lines_.width == lines_.length) {
      place.start = even;
      place.own = b_.Index(0);
    }
    place.x = b_.At(b_.At(band_x_, b_.Mul(place.line, s_.stride_h * x_row_)), b_.Mul(place.start, x_step_));
    return place;
  }

  // `outputs` neighbouring tiles, the first of them number `first`.
  void Tile(Value* first, int outputs) {
    std::vector<Place> places;
    places.reserve(static_cast<size_t>(outputs));
    for (int p = 0; p < outputs; ++p) places.push_back(PlaceOf(b_.Add(first, p)));
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < channels_; ++v) Start(Sums(p, v), v);
    }
    b_.For(0, nest_.in_blocks, 1, [&](Value* block) {
      Value* block_w = b_.At(group_w_, b_.Mul(block, w_block_));
      b_.For(0, s_.KH, 1, [&](Value* kh) {
        b_.For(0, nest_.tap_columns(), 1, [&](Value* kw) {
          Value* x_offset = b_.Add(b_.Add(b_.Mul(block, x_block_), b_.Mul(kh, s_.dil_h * x_row_)),
                                   b_.Mul(kw, s_.dil_w * nest_.pixel_bytes));
          Step(places, x_offset, b_.At(block_w, b_.Mul(b_.Add(b_.Mul(kh, nest_.tap_columns()), kw), w_step_)));
        });
      });
    });
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < channels_; ++v) tiles_.Store(Sums(p, v), Scratch(p, v), channels_ * kTileRowBytes);
    }
    for (int p = 0; p < outputs; ++p) Finish(places[static_cast<size_t>(p)], p);
  }

  void Start(int sums, int channel) {
    if (of_group_.offset == nullptr) return tiles_.Zero(sums);
    tiles_.Load(sums, b_.At(of_group_.offset, channel * kTileRowBytes), 0);
  }

  // Weights are cold in a network, and the machine itself fetches only a few lines ahead. A group's weights are
  // followed by the next group's.
  void FetchAhead(Value* w) {
    Value* ahead = b_.At(w, k_.prefetch * w_step_);
    for (int64_t line = 0; line < w_step_; line += b_.machine().line_bytes) b_.Prefetch(b_.At(ahead, line));
  }

  void Step(const std::vector<Place>& places, Value* x_offset, Value* w) {
    if (k_.prefetch > 0) FetchAhead(w);
    const auto load = [&](bool weights, int i, int tile) {
      if (weights) return tiles_.Load(tile, b_.At(w, i * kFullTileBytes), kTileRowBytes);
      tiles_.Load(tile, b_.At(places[static_cast<size_t>(i)].x, x_offset), x_step_);
    };
    const int outputs = static_cast<int>(places.size());
    const int held = holds_weights() ? channels_ : outputs, streamed = holds_weights() ? outputs : channels_;
    const int free = MatrixTiles::kRegisters - FirstStreamed();
    for (int h = 0; h < held; ++h) load(holds_weights(), h, FirstHeld() + h);
    for (int i = 0; i < streamed; ++i) {
      const int one = FirstStreamed() + i % free;
      load(!holds_weights(), i, one);
      for (int h = 0; h < held; ++h) {
        const int other = FirstHeld() + h;
        if (holds_weights()) {
          tiles_.MultiplyAdd(nest_.types.data, nest_.types.weight, Sums(i, h), one, other);
        } else {
          tiles_.MultiplyAdd(nest_.types.data, nest_.types.weight, Sums(h, i), other, one);
        }
      }
    }
  }

  // The channels of an output are neighbours in the scratch memory.
  Value* Scratch(int output, int channel) {
    return b_.At(scratch_, output * channels_ * kFullTileBytes + channel * kTileRowBytes);
  }

  void Finish(const Place& place, int p) {
    // If nothing lies between two rows, the outputs of a line are neighbours.
    const bool side_by_side = !lines_.joined || lines_.pitch == s_.OW;
    Value* first = b_.Add(b_.Mul(place.line, s_.OW), place.start);
    Value* line_y = b_.Add(band_y_, b_.Mul(first, y_column_));
    b_.For(place.own, b_.Index(lines_.width), 1, [&](Value* r) {
      Value* sums = b_.At(Scratch(p, 0), b_.Mul(r, channels_ * kTileRowBytes));
      if (side_by_side) return StorePixel(b_.Add(line_y, b_.Mul(r, y_column_)), sums);
      Value* at = b_.Add(place.start, r);
      Value* column = b_.Mod(at, lines_.pitch);
      Value* pixel = b_.Add(b_.Mul(b_.Div(at, lines_.pitch), s_.OW), column);
      b_.If(b_.ir().CreateICmpSLT(column, b_.Index(s_.OW)),
            [&] { StorePixel(b_.Add(band_y_, b_.Mul(pixel, y_column_)), sums); });
    });
  }

  // Whether the register tile's channels lie in one block, so that they are stored together.
  bool packs() const {
    return PacksBytes(epilogue_, nest_.types, channels_) && k_.oc_block % (int64_t{channels_} * kTileColumns) == 0;
  }

  // `offset`: where the first block's channels of the pixel lie.
  void StorePixel(Value* offset, Value* sums) {
    Vals values;
    for (int v = 0; v < channels_; ++v) {
      Value* y = b_.Add(offset, vectors_y_[static_cast<size_t>(v)]);
      const EpilogueOperands operands =
          of_group_.At(b_, int64_t{v} * kTileColumns, image_r_ ? b_.At(image_r_, y) : nullptr);
      Value* sum = LoadElements(b_, nest_.types.accumulator, b_.At(sums, v * kTileRowBytes), kTileColumns);
      if (packs()) {
        values.push_back(EmitUnstored(b_, epilogue_, nest_.types, sum, operands));
      } else {
        Store(EmitEpilogue(b_, epilogue_, nest_.types, sum, operands), y, v);
      }
    }
    if (packs()) Store(EmitPackedBytes(b_, epilogue_, values), b_.Add(offset, vectors_y_[0]), 0);
  }

  // Stores from the group's vector `v` on.
  void Store(Value* done, Value* y, int v) {
    Value* channel = b_.Add(b_.Mul(group_, int64_t{channels_} * kTileColumns), int64_t{v} * kTileColumns);
    b_.Store(MaskTailLanes(b_, epilogue_, done, channel, s_.O, k_.oc_block), b_.At(image_y_, y));
  }

  // Zeroes the lanes of the last block that no group computes.
  void ZeroRest() {
    const int64_t first = nest_.groups * channels_;
    if (first == nest_.out_vectors) return;
    Value* zero = llvm::Constant::getNullValue(
        VectorOf(b_.ir().getInt8Ty(), static_cast<int>(Bytes(nest_.types.output, kTileColumns))));
    b_.If(b_.ir().CreateICmpEQ(group_, b_.Index(nest_.groups - 1)), [&] {
      b_.For(0, band_outputs_, 1, [&](Value* pixel) {
        Value* y = b_.At(image_y_, b_.Add(band_y_, b_.Mul(pixel, y_column_)));
        for (int64_t v = first; v < nest_.out_vectors; ++v) b_.Store(zero, b_.At(y, VectorOffset(b_.Index(v))));
      });
    });
  }

  MatrixTiles tiles_;
  const TileLines& lines_;
  const int outputs_, channels_;  // tiles of a register tile: along outputs, along channels
  int64_t x_row_, x_block_, x_step_, w_step_, w_block_, y_column_, y_block_, band_outputs_, full_;
  int rest_;
  Value *plane_ = nullptr, *plane_stride_ = nullptr, *scratch_ = nullptr;
  Value *image_x_ = nullptr, *image_y_ = nullptr, *image_r_ = nullptr;
  Value *group_ = nullptr, *group_w_ = nullptr;
  ChannelAddresses of_group_;
  Vals vectors_y_;
  Value *band_x_ = nullptr, *band_y_ = nullptr;
};

}  // namespace

EmittedKernel EmitConv2dAmx(KernelBuilder& builder, const AmxNest& nest, const Epilogue& epilogue,
                            const std::string& symbol) {
  EmittedKernel kernel;
  std::string name = symbol;
  if (nest.filled) {
    builder.Stage(name, [&](const StageArgs& args) { EmitAmxFill(builder, nest, args); });
    kernel.stages.push_back({name, nest.shape.N * nest.in_blocks * nest.plane_h, 1, 0});
    const ConvShape& s = nest.shape;
    // The rows of the plane that the first rows of outputs read.
    const StageAxis rows{nest.plane_h, s.row_axis, s.stride_h, 1, (s.KH - 1) * s.dil_h + 1 - s.stride_h};
    kernel.boxes.push_back({0, 0, {{s.N, 0}, {nest.in_blocks}, rows}});
    kernel.shared_workspace_bytes = nest.shape.N * nest.plane_bytes();
    name += "_1";
  }
  builder.Stage(name, [&](const StageArgs& args) { AmxEmitter(builder, nest, epilogue).Emit(args); });
  const StageAxis bands{nest.bands, nest.shape.row_axis, 1, nest.knobs.tile_oh}, groups{nest.groups};
  const bool rows_inside = nest.knobs.loop_order == 0;
  kernel.boxes.push_back({static_cast<int>(kernel.stages.size()),
                          0,
                          {{nest.shape.N, 0}, rows_inside ? groups : bands, rows_inside ? bands : groups}});
  kernel.stages.push_back({name, nest.shape.N * nest.groups * nest.bands, 1, AmxEmitter::ScratchBytes(nest)});
  return kernel;
}

}  // namespace hone
