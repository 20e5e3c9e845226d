// The loop nest. The knob that cuts a loop is in brackets.
//
//   loop_order=0: a group's weights stay near           loop_order=1: a row's input stays near
//   for image n                                         for image n
//    for group of output blocks [tile_oc]                for row of outputs [tile_oh joins rows of a 1x1]
//     for chunk of input blocks [ic_chunk]                prologue: a part of the row's inputs -> worker's workspace
//      for row of outputs [tile_oh joins rows of a 1x1]   for group of output blocks [tile_oc]
//
//   and inside both:
//   for tile of the row [tile_ow]                         border tiles are emitted one by one: row_tiles.h
//     acc = 0, or an offset per channel, or the previous chunk's sums, which are kept in the output
//     for input block of the chunk                        prefetch: an equal part of the weights after this chunk's
//       for kernel row kh that reads inside the input     first layer: prefetch of the next row's input at this place
//         for tap kw                                      a straight line at the border, of 16 where ic_block < 4
//           for input channel [unroll_ic]
//             acc[p][v] += x(p) * w(v)
//     epilogue and store, or store of the sums so far
//
// One register tile, here of tile_ow=4 outputs and tile_oc=2 blocks, each as wide as a vector. A box is a register of
// `lanes` output channels:
//
//                                        output block 0   output block 1
//                                            w(0)             w(1)         neighbours in memory: one step's weights
//   x(0): one channel of output 0's input  acc[0][0]        acc[0][1]
//   x(1):                of output 1's     acc[1][0]        acc[1][1]      x(p + 1) is read_.pixel bytes after x(p)
//   x(2):                                  acc[2][0]        acc[2][1]
//   x(3):                                  acc[3][0]        acc[3][1]
//
// If an oc_block is several vectors wide, v counts the vectors of the first block, then those of the second. The
// smaller of the two sets x(p) and w(v) is held for the step, the other streams through (register_tile.h).
//
// The operands' layouts, with the bytes from one element of an axis to the next:
//
//   data    NCHW{ic_block}c                      [n][input block][row][column][channel]
//   weight  OIHW{ic_block}i{tile_oc * oc_block}o [group: panel_][input block: w_in_block_][kh: KW * w_tap_][kw: w_tap_]
//                                                [channel: w_step_][output channel]
//   output  NCHW{oc_block}c                      [n][block: y_block_][row: y_row_][column: y_column_][channel]
//
// so a tile reads its weights from front to back, and the next tile's weights follow. In a product of bytes a step
// takes four input channels. Then x(p) is four bytes of one pixel, broadcast as an int32. w(v) holds for each output
// channel the four bytes that are multiplied with them: OIHW{ic_block / 4}i{tile_oc * oc_block}o4i.
//
// With a prologue the inputs come from the workspace. It holds one row of outputs' inputs as [input block: read_.block]
// [column: read_.column][channel], without the columns that a stride skips.
//
// x86 without VNNI multiplies two neighbours of 16 bits in one instruction, pmaddwd. There the kernel rows of one row
// of outputs are widened once. The second and third of every four channels change places, and a step becomes two:
//
//   panel   [input block: read_.block][kh: read_.kernel_row][column: read_.column][channel], of 16 bits
//             x0 x2 | x1 x3       one pixel, four channels: one broadcast per half
//   weight    w0 w1 w2 w3         one output channel: its bytes 0 and 2 widened by two shifts, 1 and 3 by one
//             acc += x0 w0 + x2 w2, then acc += x1 w1 + x3 w3
//
// loop_order=1 widens a row for all groups of output blocks, loop_order=0 for each anew.
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv2d_direct.h"
#include "compiler/schedules/conv2d/conv2d_direct_input.h"
#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/matmul/row_tiles.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/weight_prefetch.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

// Emits one stage. Work items are rows of one channel group: ((n * groups) + group) * rows + row, or with loop_order 1
// ((n * rows) + row) * groups + group. With column_items each is divided into its register tiles, the inner axis unless
// chunks of weights make rows the inner one. A prologue's items are (((n * rows) + row) * parts + part) * groups +
// group. All strides are in bytes.
class DirectEmitter : ConvEmitter<DirectNest> {
 public:
  DirectEmitter(KernelBuilder& builder, const DirectNest& nest, const Epilogue& epilogue)
      : ConvEmitter(builder, nest, epilogue),
        input_(builder, nest),
        read_(input_.read()),
        row_(nest.Row()),
        items_(nest.Items()) {
    w_step_ = Bytes(types_.weight, k_.tile_oc * k_.oc_block);
    w_tap_ = k_.ic_block * w_step_;
    w_in_block_ = s_.KH * s_.KW * w_tap_;
    panel_ = nest.in_blocks * w_in_block_;
    y_column_ = Bytes(types_.output, k_.oc_block);
    y_row_ = nest.row_width * y_column_;
    y_block_ = s_.OH * s_.OW * y_column_;
    in_channels_last_ = s_.group_in - (nest.in_blocks - 1) * k_.ic_block;
  }

  void Emit(const StageArgs& args) {
    LoadOperands(args);
    const int64_t inner_extent = (k_.loop_order == 0 ? nest_.rows : nest_.groups_of_blocks) * items_.items();
    const int64_t outer_extent = k_.loop_order == 0 ? nest_.groups_of_blocks : nest_.rows * nest_.RowParts();
    // A range of items may begin and end inside an outer step; the outer step then does only a part of its inner steps.
    Value* last = b_.Div(b_.Add(args.end, inner_extent - 1), inner_extent);
    b_.For(b_.Div(args.begin, inner_extent), last, 1, [&](Value* q) {
      Value* first_item = b_.Mul(q, inner_extent);
      Value* lo = b_.Max(b_.Sub(args.begin, first_item), b_.Index(0));
      Value* hi = b_.Min(b_.Sub(args.end, first_item), b_.Index(inner_extent));
      SelectImage(b_.Div(q, outer_extent));
      Value* outer = b_.Mod(q, outer_extent);
      if (prologue()) {
        PreparedPart(outer, lo, hi);
      } else if (k_.loop_order == 0) {
        SelectGroup(outer);
        ForChunks([&] {
          if (nest_.RowsInside()) return ItemRows(lo, hi);
          items_.ForRows(b_, lo, hi, [&](Value* row, const RowItems::Part& part) { Row(row, part); });
        });
      } else {
        if (nest_.widened) input_.Widen(image_x_, outer, KernelRowsInside(b_, s_, outer));
        items_.ForRows(b_, lo, hi, [&](Value* group, const RowItems::Part& part) {
          SelectGroup(group);
          ForChunks([&] { Row(outer, part); });
        });
      }
    });
  }

 private:
  bool prologue() const { return nest_.prologue != Prologue::kNone; }

  // Groups [lo, hi) of part number `outer` of the image's rows.
  void PreparedPart(Value* outer, Value* lo, Value* hi) {
    const int64_t parts = nest_.RowParts(), tiles = nest_.PartTiles();
    Value *row = outer, *begin = b_.Index(0), *end = b_.Index(nest_.row_width);
    RowItems::Part part;
    if (parts > 1) {
      row = b_.Div(outer, parts);
      part.first = b_.Mul(b_.Mod(outer, parts), tiles);
      part.end = b_.Min(b_.Add(part.first, tiles), b_.Index(items_.count()));
      begin = b_.Mul(part.first, k_.tile_ow);
      end = b_.Min(b_.Mul(part.end, k_.tile_ow), end);
    }
    input_.Prepare(image_x_, row, begin, end);
    b_.For(lo, hi, 1, [&](Value* group) {
      SelectGroup(group);
      ForChunks([&] { Row(row, part); });
    });
  }

  void LoadOperands(const StageArgs& args) {
    data_ = b_.Operand(args, 0);
    int next = input_.Load(args, 1);
    weight_ = b_.Operand(args, next++);
    data_stride_ = b_.BatchStride(args, 0);
    behind_ = ReadEpilogueAddresses(b_, args, epilogue_, next);
  }

  void SelectImage(Value* n) {
    image_x_ = b_.At(data_, b_.Mul(n, data_stride_));
    image_y_ = behind_.Output(b_, n);
    image_r_ = behind_.Residual(b_, n);
  }

  void SelectGroup(Value* group) {
    first_block_ = b_.Mul(group, k_.tile_oc);
    group_w_ = b_.At(weight_, b_.Mul(group, panel_));
    group_y_offset_ = b_.Mul(group, k_.tile_oc * y_block_);
    channels_ = behind_.channels.Skip(b_, group, k_.tile_oc * k_.oc_block);
    group_x_ = image_x_;
    group_panel_ = input_.panel();
    if (s_.groups > 1) {
      const int64_t blocks_per_group = nest_.out_blocks / s_.groups;
      Value* first_input_block = b_.Mul(b_.Div(first_block_, blocks_per_group), nest_.in_blocks);
      group_x_ = b_.At(image_x_, b_.Mul(first_input_block, input_.data().block));
      if (nest_.widened && k_.loop_order == 1)
        group_panel_ = b_.At(input_.panel(), b_.Mul(first_input_block, read_.block));
    }
  }

  void ForChunks(const std::function<void()>& body) {
    if (nest_.chunks == 1) {
      chunk_lo_ = b_.Index(0);
      chunk_hi_ = b_.Index(nest_.in_blocks);
      body();
      return;
    }
    b_.For(0, nest_.chunks, 1, [&](Value* chunk) {
      chunk_lo_ = b_.Mul(chunk, k_.ic_chunk);
      chunk_hi_ = b_.Min(b_.Add(chunk_lo_, k_.ic_chunk), b_.Index(nest_.in_blocks));
      body();
    });
  }

  void SelectRow(Value* row) {
    kernel_rows_ = KernelRowsInside(b_, s_, row);
    if (nest_.widened && k_.loop_order == 0) input_.Widen(group_x_, row, kernel_rows_);
    // The pointer may lie before the data; taps that would read there are clipped or dropped.
    row_x_ = b_.At(input_.panel() ? group_panel_ : input_.FirstRow(group_x_, row), -row_.pad * read_.column);
    row_y_offset_ = b_.Add(group_y_offset_, b_.Mul(row, y_row_));
  }

  // Items [lo, hi) of the group's tiles, whose inner axis are rows.
  void ItemRows(Value* lo, Value* hi) {
    const RowItems::Part part = items_.TilesOf(b_, lo, hi, nest_.rows);
    items_.ForTiles(b_, part, [&](const RowTile& tile, Value* i, int64_t before) {
      Value* number = b_.Add(i, before);
      items_.ForRowsOf(b_, number, lo, hi, nest_.rows, [&](Value* row) {
        SelectRow(row);
        ItemTile(tile, i, row, b_.ir().CreateICmpEQ(number, part.first));
      });
    });
  }

  // The tiles of one row that are items.
  void ItemTiles(Value* row, const RowItems::Part& part) {
    items_.ForTiles(b_, part, [&](const RowTile& tile, Value* i, int64_t before) {
      Value* first = part.first != nullptr ? part.first : b_.Index(0);
      ItemTile(tile, i, row, b_.ir().CreateICmpEQ(b_.Add(i, before), first));
    });
  }

  // A run may have one tile of each row, and no more rows than the least. So the first tiles of these rows fetch the
  // next weights. If a row takes all groups of weights in turn, it fetches them alone.
  void ItemTile(const RowTile& tile, Value* i, Value* row, Value* is_first) {
    const bool weights_stay = k_.loop_order == 0;
    const int64_t passes = weights_stay ? std::min(nest_.rows, k_.column_items) : 1;
    Value* fetches =
        weights_stay ? b_.ir().CreateAnd(is_first, b_.ir().CreateICmpSLT(row, b_.Index(passes))) : is_first;
    Tile(tile, i, PrefetchIn(passes), weights_stay ? row : b_.Index(0), fetches);
  }

  void Row(Value* row, const RowItems::Part& part) {
    SelectRow(row);
    if (k_.column_items > 0) return ItemTiles(row, part);
    const bool weights_stay = k_.loop_order == 0;
    const int64_t tiles = items_.count();
    const WeightPrefetch prefetch = PrefetchIn(weights_stay ? nest_.rows * tiles : tiles);
    Value* first_pass = weights_stay ? b_.Mul(row, tiles) : b_.Index(0);
    items_.ForTiles(b_, part, [&](const RowTile& tile, Value* i, int64_t before) {
      Tile(tile, i, prefetch, b_.Add(b_.Add(first_pass, i), before), nullptr);
    });
  }

  WeightPrefetch PrefetchIn(int64_t passes) const { return {b_.machine(), k_.prefetch > 0 ? w_in_block_ : 0, passes}; }

  // Emits tile number i of a run of equal tiles; `pass` counts the tiles that use the same weights, and `fetches` is as
  // for WeightPrefetch.
  void Tile(const RowTile& tile, Value* i, const WeightPrefetch& prefetch, Value* pass, Value* fetches) {
    const RegisterTile registers = nest_.Registers(tile.width);
    Value* x = b_.At(b_.At(row_x_, tile.start * read_.pixel), b_.Mul(i, tile.width * read_.pixel));
    Value* y_offset = b_.Add(b_.Add(row_y_offset_, tile.start * y_column_), b_.Mul(i, tile.width * y_column_));
    Vals acc = StartValues(registers, y_offset);
    acc = b_.Loop(chunk_lo_, chunk_hi_, 1, acc, [&](Value* block, const Vals& in_block) {
      Value* block_x = b_.At(x, b_.Mul(block, read_.block));
      Value* block_w = b_.At(group_w_, b_.Mul(block, w_in_block_));
      Value* chunk = b_.Sub(chunk_hi_, chunk_lo_);
      prefetch.Emit(b_, b_.At(group_w_, b_.Mul(chunk_hi_, w_in_block_)),
                    b_.Add(b_.Mul(pass, chunk), b_.Sub(block, chunk_lo_)), fetches);
      return b_.Loop(kernel_rows_.first, kernel_rows_.end, 1, in_block, [&](Value* kh, const Vals& in_row) {
        Value* tap_x = b_.At(block_x, b_.Mul(kh, read_.kernel_row));
        Value* tap_w = b_.At(block_w, b_.Mul(kh, s_.KW * w_tap_));
        if (StartsNetwork()) FetchNextRow(tile, tap_x);
        return Taps(tile, registers, block, tap_x, tap_w, in_row);
      });
    });
    Finish(registers, acc, y_offset);
  }

  // Whether the kernel is the network's first: a convolution of a few plain channels, which reads the network's input.
  // That input lies in memory, because the previous inference, or the user's code, has replaced it in the caches. Every
  // other kernel's input was written just before.
  bool StartsNetwork() const { return k_.ic_block == 1 && s_.groups == 1; }

  // Prefetches the input of the next row of outputs at the place of this kernel row, for the columns of one tile.
  void FetchNextRow(const RowTile& tile, Value* kernel_row) {
    const int64_t line_bytes = b_.machine().line_bytes;
    Value* next = b_.At(kernel_row, s_.stride_h * input_.data().row);
    for (int64_t byte = 0; byte < tile.width * read_.pixel; byte += line_bytes) b_.Prefetch(b_.At(next, byte));
  }

  Vals Taps(const RowTile& tile, const RegisterTile& registers, Value* block, Value* x, Value* w, const Vals& start) {
    const int64_t step = tile.border ? s_.KW : nest_.TapsInLine() ? std::min(s_.KW, kMostTapsInLine) : 1;
    const int64_t looped = tile.border ? 0 : s_.KW / step * step;
    Vals acc = b_.Loop(0, looped, step, start, [&](Value* first, const Vals& in) {
      Value* step_x = b_.At(x, b_.Mul(first, s_.dil_w * read_.column));
      Value* step_w = b_.At(w, b_.Mul(first, w_tap_));
      return TapsInLine(tile, registers, block, step_x, step_w, 0, step, in);
    });
    return TapsInLine(tile, registers, block, x, w, looped, s_.KW, acc);
  }

  // Taps [begin, end); x and w are those of tap 0.
  Vals TapsInLine(const RowTile& tile, const RegisterTile& registers, Value* block, Value* x, Value* w, int64_t begin,
                  int64_t end, Vals acc) {
    for (int64_t kw = begin; kw < end; ++kw) {
      Value* tap_x = b_.At(x, kw * s_.dil_w * read_.column);
      acc = Channels(tile, registers, block, tap_x, b_.At(w, kw * w_tap_), tile.border ? kw : -1, acc);
    }
    return acc;
  }

  // The input channels of one tap; kw is -1 if every pixel has the tap.
  Vals Channels(const RowTile& tile, const RegisterTile& registers, Value* block, Value* x, Value* w, int64_t kw,
                const Vals& start) {
    auto inside = [&](int p) { return kw < 0 || TapInside(row_, tile.start + p, kw); };
    bool any = false;
    for (int p = 0; p < registers.pixels; ++p) any = any || inside(p);
    if (!any) return start;
    const int64_t unroll = tile.border ? nest_.UnrollAtBorder(b_.machine()) : k_.unroll_ic;
    return b_.Loop(b_.Index(0), ChannelCount(block), unroll, start, [&](Value* ic, const Vals& in) {
      Value* xs = b_.At(x, b_.Mul(ic, read_.element));
      Value* ws = b_.At(w, b_.Mul(ic, w_step_));
      Vals acc = in;
      for (int64_t u = 0; u < unroll; u += nest_.dot) Step(registers, xs, ws, u, inside, acc);
      return acc;
    });
  }

  void Step(const RegisterTile& registers, Value* xs, Value* ws, int64_t u, const std::function<bool(int)>& inside,
            Vals& acc) {
    const int64_t x_channel = read_.element, w_vector = Bytes(types_.weight, nest_.lanes * nest_.dot);
    if (nest_.widened) return WidenedStep(registers, xs, ws, u, inside, acc);
    if (nest_.dot > 1) {
      // Four bytes, or two bfloat16, are as wide as an accumulator's lane.
      return registers.Step(
          b_, acc,
          [&](int p) {
            return inside(p) ? LoadElements(b_, DType::kInt32, b_.At(xs, p * read_.pixel + u * x_channel), 1) : nullptr;
          },
          [&](int v) {
            Value* neighbours = b_.At(ws, v * w_vector + u * w_step_);
            return LoadElements(b_, types_.weight, neighbours, static_cast<int>(nest_.lanes * nest_.dot));
          },
          StepOf(types_));
    }
    registers.Step(
        b_, acc,
        [&](int p) { return inside(p) ? Load(types_.data, b_.At(xs, p * read_.pixel + u * x_channel), 1) : nullptr; },
        [&](int v) { return Load(types_.weight, b_.At(ws, v * w_vector + u * w_step_), nest_.lanes); });
  }

  void WidenedStep(const RegisterTile& registers, Value* xs, Value* ws, int64_t u,
                   const std::function<bool(int)>& inside, Vals& acc) {
    const int fours = nest_.lanes * static_cast<int>(nest_.dot);
    for (const int half : {0, 1}) {
      const int64_t pair = u * read_.element + half * Bytes(DType::kInt32);
      registers.Step(
          b_, acc,
          [&](int p) {
            return inside(p) ? LoadElements(b_, DType::kInt32, b_.At(xs, p * read_.pixel + pair), 1) : nullptr;
          },
          [&](int v) {
            Value* weights = LoadElements(b_, types_.weight,
                                          b_.At(ws, Bytes(types_.weight, int64_t{v} * fours) + u * w_step_), fours);
            return PairOfFours(b_, weights, types_.weight, half);
          },
          PairMultiplyAdd);
    }
  }

  Value* Load(DType stored, Value* ptr, int lanes) { return LoadConverted(b_, stored, ptr, lanes, types_.accumulator); }

  // Number of channels to multiply in an input block. The last block may be short; its zero lanes are left out.
  Value* ChannelCount(Value* block) {
    const int64_t needed = CeilDiv(in_channels_last_, k_.unroll_ic) * k_.unroll_ic;
    if (needed == k_.ic_block) return b_.Index(k_.ic_block);
    Value* is_last = b_.ir().CreateICmpEQ(block, b_.Index(nest_.in_blocks - 1));
    return b_.ir().CreateSelect(is_last, b_.Index(needed), b_.Index(k_.ic_block));
  }

  int64_t OutputOffset(int p, int v) const {
    const int per_block = static_cast<int>(k_.oc_block / nest_.lanes);
    return p * y_column_ + (v / per_block) * y_block_ + Bytes(types_.output, (v % per_block) * nest_.lanes);
  }

  // Zeros or the offsets in the first chunk, the partial sums in the later ones.
  Vals StartValues(const RegisterTile& registers, Value* y_offset) {
    if (channels_.offset != nullptr) return registers.Offsets(b_, channels_.offset);
    Vals zeros = registers.Zeros(b_, types_.accumulator);
    if (nest_.chunks == 1) return zeros;
    Value* partial = b_.ir().CreateZExt(b_.ir().CreateICmpNE(chunk_lo_, b_.Index(0)), b_.i64());
    return b_.Loop(b_.Index(0), partial, 1, zeros, [&](Value*, const Vals&) {
      Vals loaded;
      for (int p = 0; p < registers.pixels; ++p) {
        for (int v = 0; v < registers.vectors; ++v) {
          loaded.push_back(Load(types_.output, b_.At(b_.At(image_y_, y_offset), OutputOffset(p, v)), nest_.lanes));
        }
      }
      return loaded;
    });
  }

  void Finish(const RegisterTile& registers, const Vals& acc, Value* y_offset) {
    if (nest_.chunks == 1) return StoreFinal(registers, acc, y_offset);
    Value* is_last = b_.ir().CreateICmpEQ(chunk_hi_, b_.Index(nest_.in_blocks));
    b_.If(is_last, [&] { StoreFinal(registers, acc, y_offset); }, [&] { StorePartial(registers, acc, y_offset); });
  }

  void StorePartial(const RegisterTile& registers, const Vals& acc, Value* y_offset) {
    Value* y = b_.At(image_y_, y_offset);
    for (int p = 0; p < registers.pixels; ++p) {
      for (int v = 0; v < registers.vectors; ++v) {
        b_.Store(Nth(acc, p * registers.vectors + v), b_.At(y, OutputOffset(p, v)));
      }
    }
  }

  // The last group may have fewer blocks than a tile.
  void StoreFinal(const RegisterTile& registers, const Vals& acc, Value* y_offset) {
    const int per_block = registers.vectors / static_cast<int>(k_.tile_oc);
    const int rest = static_cast<int>(nest_.out_blocks % k_.tile_oc) * per_block;
    if (rest == 0) return StoreVectors(registers, registers.vectors, acc, y_offset);
    Value* is_whole = b_.ir().CreateICmpSLE(b_.Add(first_block_, k_.tile_oc), b_.Index(nest_.out_blocks));
    b_.If(
        is_whole, [&] { StoreVectors(registers, registers.vectors, acc, y_offset); },
        [&] { StoreVectors(registers, rest, acc, y_offset); });
  }

  void StoreVectors(const RegisterTile& registers, int vectors, const Vals& acc, Value* y_offset) {
    Value* y = b_.At(image_y_, y_offset);
    Value* r = epilogue_.residual ? b_.At(image_r_, y_offset) : nullptr;
    for (int p = 0; p < registers.pixels; ++p) {
      for (int v = 0; v < vectors; ++v) {
        Value* residual = r ? b_.At(r, OutputOffset(p, v)) : nullptr;
        const EpilogueOperands operands = channels_.At(b_, int64_t{v} * nest_.lanes, residual);
        Value* sum = Nth(acc, p * registers.vectors + v);
        Value* done = EmitEpilogue(b_, epilogue_, types_, sum, operands);
        Value* channel = b_.Add(b_.Mul(first_block_, k_.oc_block), int64_t{v} * nest_.lanes);
        b_.Store(MaskTailLanes(b_, epilogue_, done, channel, s_.O, k_.oc_block), b_.At(y, OutputOffset(p, v)));
      }
    }
  }

  DirectInput input_;
  const DirectInput::ReadStrides& read_;
  RowShape row_;
  RowItems items_;
  int64_t w_step_, w_tap_, w_in_block_, panel_, y_column_, y_row_, y_block_;
  int64_t in_channels_last_;
  Value *image_x_ = nullptr, *image_y_ = nullptr, *image_r_ = nullptr;
  Value *first_block_ = nullptr, *group_x_ = nullptr, *group_panel_ = nullptr, *group_w_ = nullptr;
  ChannelAddresses channels_;  // of the group
  Value *group_y_offset_ = nullptr, *chunk_lo_ = nullptr, *chunk_hi_ = nullptr;
  Value *row_x_ = nullptr, *row_y_offset_ = nullptr;
  KernelRows kernel_rows_;
};

}  // namespace

EmittedKernel EmitConv2dDirect(KernelBuilder& builder, const DirectNest& nest, const Epilogue& epilogue,
                               const std::string& symbol) {
  builder.Stage(symbol, [&](const StageArgs& args) { DirectEmitter(builder, nest, epilogue).Emit(args); });
  EmittedKernel kernel;
  const RowItems items = nest.Items();
  const int64_t parts = nest.RowParts();
  kernel.stages.push_back({symbol, nest.shape.N * nest.groups_of_blocks * nest.rows * parts * items.items(), 1,
                           DirectInput::WorkspaceBytes(nest)});
  std::vector<StageAxis> axes = items.Axes(nest.shape, nest.rows, nest.knobs.tile_oh);
  if (parts > 1) axes.push_back({parts, nest.shape.column_axis, 1, nest.PartTiles() * nest.knobs.tile_ow});
  if (nest.RowsInside()) std::swap(axes.front(), axes.back());
  axes.insert(axes.begin(), {nest.shape.N, 0});
  axes.insert(axes.begin() + (nest.knobs.loop_order == 0 ? 1 : parts > 1 ? 3 : 2), StageAxis{nest.groups_of_blocks});
  kernel.boxes = {{0, 0, std::move(axes)}};
  return kernel;
}

}  // namespace hone
