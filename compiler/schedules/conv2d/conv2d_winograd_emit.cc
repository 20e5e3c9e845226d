// A Winograd tile is m x m outputs, made of alpha x alpha inputs: m = tile_m, alpha = m + 2. Neighbours share two rows
// or columns of inputs. Its alpha^2 elements, transformed, are the frequencies.
//
//   TransformInput                   Multiply, for each frequency          TransformOutput
//   V = B^T d B                      M = V U                               Y = A^T M A
//
//   alpha x alpha     alpha^2           in channels         out channels     alpha^2            m x m
//   inputs            frequencies     +------------+       +------------+    frequencies        outputs, through the
//   of a tile     ->  of a tile       | V          |       | U          |    of a tile     ->   epilogue
//   and a block       and a block     | tiles      | x  in |            |    and a block
//   of in channels                    +------------+       +------------+    of out channels
//
// U, the filters transformed when the package was built, is the weight operand.
//
// tile_block=0: a stage per step over all tiles, a barrier between; V and M lie in the shared workspace.
//
//   stage 0, items (in block, tile)       stage 1, items (frequency, group,      stage 2, items (out block, tile)
//                                               chunk of slots)
//     TransformInput                        for slots [tile_ow]: Multiply          TransformOutput
//
// tile_block>0: an item is a block of tiles, which takes all three steps in its worker's workspace.
//
//   for in block, for slot: TransformInput
//   for frequency
//     loop_order=0: for group [tile_oc], for slots [tile_ow]: Multiply     a group's weights stay
//     loop_order=1: for slots [tile_ow], for group [tile_oc]: Multiply     the slots' V stays
//   for out block, for slot: TransformOutput
//
// Multiply's register tile, here of tile_ow=3 slots and tile_oc=2 out blocks. A box is a register of oc_block channels:
//
//                                      w(0)        w(1)        U[f][group][in channel]: neighbours in memory
//   x(0): V[f][..][slot    ][channel]  acc[0][0]   acc[0][1]
//   x(1): V[f][..][slot + 1][channel]  acc[1][0]   acc[1][1]   summed over in blocks, then channels [unroll_ic];
//   x(2): V[f][..][slot + 2][channel]  acc[2][0]   acc[2][1]   stored to M[f][group's out block v][slot + p]
//
// With column_items a block, or the slots of an item of stage 1, lie in one row of tiles. Register tiles that reach
// into the next row compute products that the next row computes alike.
//
// The layouts, lanes innermost:
//
//   U [frequency][group][in channel][tile_oc * oc_block]
//   V [frequency][in block][slot]
//   M [frequency][out block][slot]
//
// A slot is a tile's place in the workspace. The slots make up full register tiles: those past the last tile hold old
// contents, and nothing reads their products. A transform writes one vector to each frequency, so frequencies lie an
// odd number of cache lines apart (conv2d_winograd.cc). V, M and the values between the passes of a transform have the
// accumulator's type.
//
// With bytes, V and U are 16-bit integers, two neighbouring channels are one step, and M is int32. U is 4 or 900 times
// the transformed filters, so that it is an integer. TransformOutput divides its sums by that factor, exactly
// (conv2d_winograd_int16.cc). One group is taken at a time, so that M holds one group and stays in the second-level
// cache. With filters=0 the weight operand is the filters as they are. U then holds one group too and is made when the
// kernel runs:
//
//   tile_block=0: stage 0 as above; stage 1, items (group): Group over all tiles
//   tile_block>0: for in block, for slot: TransformInput; for group: Group over the block of tiles
//
//   Group: EmitWinogradFilters; for frequency, for slots [tile_ow]: Multiply; for out block, for slot: TransformOutput
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv2d_winograd.h"
#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/conv2d/winograd_transform.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/weight_prefetch.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

// Emits the three steps.
class WinogradEmitter : ConvEmitter<WinogradNest> {
 public:
  WinogradEmitter(KernelBuilder& builder, const WinogradNest& nest, const Epilogue& epilogue)
      : ConvEmitter(builder, nest, epilogue),
        x_vector_(Bytes(types_.data, nest.lanes)),
        w_vector_(nest.weight_bytes * nest.group * nest.lanes),
        v_vector_(nest.in_bytes * nest.lanes),
        m_vector_(Bytes(types_.accumulator, nest.lanes)),
        y_vector_(Bytes(types_.output, nest.lanes)) {}

  // Bytes per worker. They hold a patch for tiles that touch the border: data before the product, sums after it. They
  // also hold the values between the passes of a transform. Data are never wider than sums.
  static int64_t ScratchBytes(const WinogradNest& nest) {
    return Bytes(nest.types.accumulator, 2 * nest.frequencies * nest.lanes);
  }

  // `tiles` is the place of V. `group` is the place of M, after U if the kernel makes U.
  void Begin(const StageArgs& args, Value* tiles, Value* group, Value* scratch) {
    ReadOperands(args);
    v_ = tiles;
    u_ = group;
    m_ = b_.At(group, nest_.frequencies * nest_.filter_frequency_bytes);
    patch_ = scratch;
    half_ = b_.At(scratch, nest_.frequencies * m_vector_);
  }

  // A tile that reaches past the image is copied into a patch, with zeros outside the image. So the same code reads
  // every tile: the address is selected, and there is no second transform.
  void TransformInput(Value* tile, Value* slot, Value* block) {
    const Place at = Decode(tile);
    Value* h = b_.Sub(b_.Mul(at.row, k_.m), b_.Index(s_.pad_t));
    Value* w = b_.Sub(b_.Mul(at.column, k_.m), b_.Index(s_.pad_l));
    Value* plane = b_.At(b_.At(data_, b_.Mul(at.image, data_stride_)), b_.Mul(block, s_.H * s_.W * x_vector_));
    Value* image = b_.At(plane, b_.Add(b_.Mul(h, s_.W * x_vector_), b_.Mul(w, x_vector_)));
    Value* inside = b_.ir().CreateAnd(Within(h, s_.H), Within(w, s_.W));
    b_.If(b_.ir().CreateNot(inside),
          [&] { FillWinogradPatch(b_, {s_.H, s_.W, types_.data, nest_.lanes}, nest_.alpha, plane, h, w, patch_); });
    Value* source = b_.ir().CreateSelect(inside, image, patch_);
    Value* row_bytes = b_.ir().CreateSelect(inside, b_.Index(s_.W * x_vector_), b_.Index(nest_.alpha * x_vector_));
    Value* target = b_.At(v_, b_.Mul(b_.Add(b_.Mul(block, nest_.block_tiles), slot), v_vector_));
    WinogradSquare half(b_, InputVector(), nest_.alpha, nest_.alpha, half_);
    Vals rows;
    for (int64_t r = 0; r < nest_.alpha; ++r) rows.push_back(b_.At(source, b_.Mul(row_bytes, r)));
    for (int64_t c = 0; c < nest_.alpha; ++c) {
      Vals column;
      for (Value* row : rows) column.push_back(LoadInput(b_.At(row, c * x_vector_)));
      const Vals done = WinogradInput(b_, column);
      for (int64_t r = 0; r < nest_.alpha; ++r) half.Set(r, c, Nth(done, r));
    }
    for (int64_t r = 0; r < nest_.alpha; ++r) {
      Vals row;
      for (int64_t c = 0; c < nest_.alpha; ++c) row.push_back(half.Get(r, c));
      const Vals done = WinogradInput(b_, row);
      for (int64_t c = 0; c < nest_.alpha; ++c) {
        b_.Store(Nth(done, c), b_.At(target, (r * nest_.alpha + c) * nest_.in_frequency_bytes));
      }
    }
  }

  // One of a panel's passes, for the prefetch of the next panel.
  struct Pass {
    Value* number = nullptr;
    int64_t passes = 1;
    Value* fetches = nullptr;  // as WeightPrefetch has it
  };
  Pass PassOf(Value* slot) {
    if (k_.loop_order != 0) return {b_.Index(0)};
    return {b_.Div(slot, k_.tile_ow), nest_.block_tiles / k_.tile_ow};
  }
  // The first item of each row of tiles fetches, because a run may have no other.
  Pass PassOfLine(Value* line, Value* item) {
    const int64_t lines = std::min(nest_.tiles_h, CeilDiv(k_.column_items, k_.m));
    Value* is_first = b_.ir().CreateICmpEQ(item, b_.Index(0));
    return {line, lines, b_.ir().CreateAnd(is_first, b_.ir().CreateICmpSLT(line, b_.Index(lines)))};
  }

  // Emits the product of one frequency and one group of output blocks with the tiles at `slot`.
  void Multiply(Value* frequency, Value* group, Value* slot) { Multiply(frequency, group, slot, PassOf(slot)); }
  void Multiply(Value* frequency, Value* group, Value* slot, const Pass& pass) {
    const RegisterTile registers = nest_.Registers();
    const int64_t w_step = k_.tile_oc * w_vector_, w_in_block = k_.ic_block / nest_.group * w_step;
    const int64_t panel = nest_.in_blocks * w_in_block, groups = nest_.groups();
    const int64_t x_block = nest_.block_tiles * v_vector_, x_step = nest_.in_bytes * nest_.group;
    Value* x = b_.At(b_.At(v_, b_.Mul(frequency, nest_.in_frequency_bytes)), b_.Mul(slot, v_vector_));
    Value* w = nest_.filters_in_run ? b_.At(u_, b_.Mul(frequency, nest_.filter_frequency_bytes))
                                    : b_.At(b_.At(weight_, b_.Mul(frequency, groups * panel)), b_.Mul(group, panel));
    const int64_t next = nest_.by_group ? groups * panel : panel;  // bytes to the next frequency, or group
    const WeightPrefetch prefetch(b_.machine(), k_.prefetch > 0 ? w_in_block : 0, pass.passes);
    const Vals acc =
        b_.Loop(0, nest_.in_blocks, 1, registers.Zeros(b_, types_.accumulator), [&](Value* block, const Vals& outer) {
          prefetch.Emit(b_, b_.At(w, next), b_.Add(b_.Mul(pass.number, nest_.in_blocks), block), pass.fetches);
          Value* block_x = b_.At(x, b_.Mul(block, x_block));
          Value* block_w = b_.At(w, b_.Mul(block, w_in_block));
          const int64_t steps = k_.ic_block / nest_.group, unroll = k_.unroll_ic / nest_.group;
          return b_.Loop(0, steps, unroll, outer, [&](Value* step, const Vals& in) {
            Vals sums = in;
            Value* xs = b_.At(block_x, b_.Mul(step, x_step));
            Value* ws = b_.At(block_w, b_.Mul(step, w_step));
            for (int64_t u = 0; u < unroll; ++u) {
              registers.Step(
                  b_, sums,
                  [&](int p) { return LoadElements(b_, types_.accumulator, b_.At(xs, p * v_vector_ + u * x_step), 1); },
                  [&](int v) { return LoadWeights(b_.At(ws, v * w_vector_ + u * w_step)); },
                  types_.whole() ? PairMultiplyAdd : FloatMultiplyAdd);
            }
            return sums;
          });
        });
    Value* first = nest_.by_group ? slot : b_.Add(b_.Mul(group, k_.tile_oc * nest_.block_tiles), slot);
    Value* target = b_.At(b_.At(m_, b_.Mul(frequency, nest_.out_frequency_bytes)), b_.Mul(first, m_vector_));
    for (int p = 0; p < registers.pixels; ++p) {
      for (int v = 0; v < registers.vectors; ++v) {
        b_.Store(Nth(acc, p * registers.vectors + v), b_.At(target, (int64_t{v} * nest_.block_tiles + p) * m_vector_));
      }
    }
  }

  // A tile that reaches past the output goes through the patch. How many of its rows and columns are inside is a
  // runtime value, and registers cannot be indexed. `held` is the block's place in M.
  void TransformOutput(Value* tile, Value* slot, Value* block, Value* held) {
    Value* source = b_.At(m_, b_.Mul(b_.Add(b_.Mul(held, nest_.block_tiles), slot), m_vector_));
    WinogradSquare half(b_, VectorOf(ElementType(b_, types_.accumulator), nest_.lanes), k_.m, nest_.alpha, half_);
    for (int64_t c = 0; c < nest_.alpha; ++c) {
      Vals column;
      for (int64_t r = 0; r < nest_.alpha; ++r) {
        Value* sum = b_.At(source, (r * nest_.alpha + c) * nest_.out_frequency_bytes);
        column.push_back(LoadElements(b_, types_.accumulator, sum, nest_.lanes));
      }
      const Vals done = WinogradOutput(b_, column);
      for (int64_t r = 0; r < k_.m; ++r) half.Set(r, c, Nth(done, r));
    }
    const Target at = TargetOf(tile, block);
    const auto rows = [&](const std::function<void(int64_t, int64_t, Value*)>& store) {
      for (int64_t r = 0; r < k_.m; ++r) {
        Vals row;
        for (int64_t c = 0; c < nest_.alpha; ++c) row.push_back(half.Get(r, c));
        const Vals done = WinogradOutput(b_, row);
        for (int64_t c = 0; c < k_.m; ++c) store(r, c, Nth(done, c));
      }
    };
    const auto to_patch = [&](int64_t r, int64_t c, Value* sum) {
      b_.Store(sum, b_.At(patch_, (r * k_.m + c) * m_vector_));
    };
    const auto to_output = [&](int64_t r, int64_t c, Value* sum) {
      StoreOutput(at, block, b_.Index((r * s_.OW + c) * y_vector_), sum);
    };
    if (s_.OH % k_.m == 0 && s_.OW % k_.m == 0) return rows(to_output);
    Value* full = b_.Mul(at.rows, at.columns);
    b_.If(
        b_.ir().CreateICmpEQ(full, b_.Index(k_.m * k_.m)), [&] { rows(to_output); },
        [&] {
          rows(to_patch);
          StorePatch(at, block);
        });
  }

  // Multiplies all groups of one frequency and the first `slots` slots.
  void MultiplyFrequency(Value* frequency, Value* slots) {
    const int64_t groups = nest_.groups();
    if (k_.loop_order == 0) {
      b_.For(0, groups, 1, [&](Value* group) { MultiplySlots(frequency, group, b_.Index(0), slots); });
    } else {
      b_.For(b_.Index(0), slots, k_.tile_ow,
             [&](Value* slot) { b_.For(0, groups, 1, [&](Value* group) { Multiply(frequency, group, slot); }); });
    }
  }
  void MultiplyGroup(Value* frequency, Value* group) {
    MultiplySlots(frequency, group, b_.Index(0), b_.Index(nest_.block_tiles));
  }
  // `first` begins a register tile; so does `end`, or it is that of all slots.
  void MultiplySlots(Value* frequency, Value* group, Value* first, Value* end) {
    b_.For(first, end, k_.tile_ow, [&](Value* slot) { Multiply(frequency, group, slot); });
  }

  // Takes one group through all its steps for `count` tiles from `first` on, which begin at the workspace's first slot.
  void Group(Value* group, Value* first, Value* count) {
    if (nest_.filters_in_run) {
      const int64_t filters = Bytes(types_.weight, 9 * nest_.in_blocks * k_.ic_block * k_.tile_oc * k_.oc_block);
      EmitWinogradFilters(b_, nest_, b_.At(weight_, b_.Mul(group, filters)), u_, half_);
    }
    b_.For(0, nest_.frequencies, 1, [&](Value* frequency) { MultiplyGroup(frequency, group); });
    b_.For(0, k_.tile_oc, 1, [&](Value* held) {
      Value* block = b_.Add(b_.Mul(group, k_.tile_oc), held);
      b_.For(b_.Index(0), count, 1, [&](Value* slot) { TransformOutput(b_.Add(first, slot), slot, block, held); });
    });
  }

 private:
  struct Place {
    Value *image, *row, *column;
  };
  Place Decode(Value* tile) {
    Value* line = b_.Div(tile, nest_.tiles_w);
    return {b_.Div(line, nest_.tiles_h), b_.Mod(line, nest_.tiles_h), b_.Mod(tile, nest_.tiles_w)};
  }

  // Whether [from, from + alpha) lies in [0, extent); a negative start is a large unsigned one.
  Value* Within(Value* from, int64_t extent) {
    if (extent < nest_.alpha) return b_.ir().getFalse();
    return b_.ir().CreateICmpULE(from, b_.Index(extent - nest_.alpha));
  }

  // The address of a tile's outputs of one channel block, and the number of its rows and columns inside the output.
  struct Target {
    Value *y, *residual, *rows, *columns;
  };
  Target TargetOf(Value* tile, Value* block) {
    const Place at = Decode(tile);
    Value *h = b_.Mul(at.row, k_.m), *w = b_.Mul(at.column, k_.m);
    Value* corner = b_.Mul(b_.Add(b_.Mul(b_.Add(b_.Mul(block, s_.OH), h), s_.OW), w), y_vector_);
    return {b_.At(behind_.Output(b_, at.image), corner),
            epilogue_.residual ? b_.At(behind_.Residual(b_, at.image), corner) : nullptr,
            b_.Min(b_.Index(k_.m), b_.Sub(b_.Index(s_.OH), h)), b_.Min(b_.Index(k_.m), b_.Sub(b_.Index(s_.OW), w))};
  }

  // Puts one pixel through the epilogue and stores it.
  void StoreOutput(const Target& at, Value* block, Value* offset, Value* sum) {
    const ChannelAddresses channels = behind_.channels.Skip(b_, block, nest_.lanes);
    const EpilogueOperands operands = channels.At(b_, 0, at.residual ? b_.At(at.residual, offset) : nullptr);
    Value* done = EmitEpilogue(b_, epilogue_, types_, types_.whole() ? WholeSum(sum, channels) : sum, operands);
    b_.Store(MaskTailLanes(b_, epilogue_, done, b_.Mul(block, k_.oc_block), s_.O, k_.oc_block), b_.At(at.y, offset));
  }

  // Stores the part of the patch that lies inside the output.
  void StorePatch(const Target& at, Value* block) {
    b_.For(b_.Index(0), at.rows, 1, [&](Value* i) {
      b_.For(b_.Index(0), at.columns, 1, [&](Value* j) {
        Value* from = b_.At(patch_, b_.Mul(b_.Add(b_.Mul(i, k_.m), j), m_vector_));
        StoreOutput(at, block, b_.Mul(b_.Add(b_.Mul(i, s_.OW), j), y_vector_),
                    LoadElements(b_, types_.accumulator, from, nest_.lanes));
      });
    });
  }

  // The transforms give 4 or 900 times the sum of products, modulo 2^32. The odd factor is removed by multiplying with
  // its inverse, the 4 by a shift. The sum's offset is added last.
  Value* WholeSum(Value* sum, const ChannelAddresses& channels) {
    constexpr uint32_t kInverse = 0x87654321;
    static_assert(kInverse * 225U == 1);
    if (k_.m == 4) sum = b_.ir().CreateMul(sum, llvm::ConstantInt::get(sum->getType(), kInverse));
    Value* whole = b_.ir().CreateAShr(sum, 2);
    if (channels.offset == nullptr) return whole;
    return b_.ir().CreateAdd(whole, LoadElements(b_, DType::kInt32, channels.offset, nest_.lanes));
  }

  llvm::Type* InputVector() {
    auto* element = types_.whole() ? b_.ir().getInt16Ty() : ElementType(b_, types_.accumulator);
    return VectorOf(element, nest_.lanes);
  }

  // Loads a vector and converts it to the type of the arithmetic.
  Value* LoadInput(Value* ptr) {
    if (!types_.whole()) return LoadConverted(b_, types_.data, ptr, nest_.lanes, types_.accumulator);
    return b_.ir().CreateZExt(LoadElements(b_, types_.data, ptr, nest_.lanes), InputVector());
  }
  Value* LoadWeights(Value* ptr) {
    if (!types_.whole()) return LoadConverted(b_, types_.weight, ptr, nest_.lanes, types_.accumulator);
    return b_.ir().CreateAlignedLoad(VectorOf(b_.ir().getInt16Ty(), 2 * nest_.lanes), ptr, llvm::Align(2));
  }

  // Bytes of a vector of data, of U's step, of V, of M, of outputs
  int64_t x_vector_, w_vector_, v_vector_, m_vector_, y_vector_;
  Value *v_ = nullptr, *u_ = nullptr, *m_ = nullptr, *patch_ = nullptr, *half_ = nullptr;
};

// Every item takes a block of tiles through all three steps in its worker's own workspace.
EmittedKernel EmitFused(KernelBuilder& b, const WinogradNest& nest, const Epilogue& epilogue,
                        const std::string& symbol) {
  const int64_t scratch_bytes = WinogradEmitter::ScratchBytes(nest), block = nest.knobs.tile_block;
  b.Stage(symbol, [&](const StageArgs& args) {
    WinogradEmitter emitter(b, nest, epilogue);
    Value* own = b.WorkerWorkspace(args);
    Value* tiles = b.At(own, scratch_bytes);
    emitter.Begin(args, tiles, b.At(tiles, nest.in_workspace_bytes()), own);
    b.For(args.begin, args.end, 1, [&](Value* item) {
      Value *first = b.Mul(item, block), *left = b.Sub(b.Index(nest.tiles), first), *slots = b.Index(nest.block_tiles);
      if (nest.knobs.column_items > 0) {
        Value* before = b.Mul(b.Mod(item, nest.line_items()), block);
        first = b.Add(b.Mul(b.Div(item, nest.line_items()), nest.tiles_w), before);
        slots = left = b.Sub(b.Index(nest.tiles_w), before);
      }
      Value* count = b.Min(b.Index(block), left);
      slots = b.Min(slots, b.Index(nest.block_tiles));
      const auto for_tiles = [&](int64_t blocks, const std::function<void(Value*, Value*, Value*)>& step) {
        b.For(0, blocks, 1, [&](Value* channels) {
          b.For(b.Index(0), count, 1, [&](Value* slot) { step(b.Add(first, slot), slot, channels); });
        });
      };
      for_tiles(nest.in_blocks, [&](Value* t, Value* slot, Value* c) { emitter.TransformInput(t, slot, c); });
      if (nest.by_group) {
        b.For(0, nest.groups(), 1, [&](Value* group) { emitter.Group(group, first, count); });
        return;
      }
      b.For(0, nest.frequencies, 1, [&](Value* frequency) { emitter.MultiplyFrequency(frequency, slots); });
      for_tiles(nest.out_blocks, [&](Value* t, Value* slot, Value* c) { emitter.TransformOutput(t, slot, c, c); });
    });
  });
  EmittedKernel kernel;
  kernel.stages.push_back({symbol, nest.blocks(), 1, scratch_bytes + nest.workspace_bytes()});
  kernel.boxes = {{0, 0, {{nest.blocks(), 0, nest.tiles / nest.shape.N, block}}}};
  if (nest.knobs.column_items > 0) kernel.boxes = {{0, 0, nest.LineAxes(nest.line_items(), block)}};
  return kernel;
}

// The slots of an item of the product over all tiles. A run of fewer images leaves out those of the others. Items of
// one frequency and group follow each other, so that their weights stay in the nearest cache.
int64_t SlotsOfItem(const WinogradNest& nest) {
  constexpr int64_t kFewest = 64;
  const int64_t images = nest.shape.N, slots = nest.knobs.tile_ow;
  return images == 1 ? nest.block_tiles : CeilDiv(std::max(kFewest, nest.tiles / images), slots) * slots;
}

// Each step is a stage over all tiles, through the shared workspace. With bytes the first stage is the same, and the
// second takes one group after the other.
EmittedKernel EmitStaged(KernelBuilder& b, const WinogradNest& nest, const Epilogue& epilogue,
                         const std::string& symbol) {
  const int64_t scratch_bytes = WinogradEmitter::ScratchBytes(nest), groups = nest.groups();
  EmittedKernel kernel;
  kernel.shared_workspace_bytes = nest.by_group ? nest.in_workspace_bytes() : nest.workspace_bytes();
  const int64_t own_bytes = nest.by_group ? nest.group_workspace_bytes() : 0;
  const auto stage = [&](const std::string& name, int64_t extent, int64_t inner, int64_t bytes,
                         const std::function<void(WinogradEmitter&, Value*, Value*)>& step) {
    b.Stage(name, [&](const StageArgs& args) {
      WinogradEmitter emitter(b, nest, epilogue);
      Value *tiles = b.SharedWorkspace(args), *own = b.WorkerWorkspace(args);
      emitter.Begin(args, tiles, nest.by_group ? b.At(own, scratch_bytes) : b.At(tiles, nest.in_workspace_bytes()),
                    own);
      b.For(args.begin, args.end, 1, [&](Value* item) { step(emitter, b.Div(item, inner), b.Mod(item, inner)); });
    });
    kernel.stages.push_back({name, extent, 1, scratch_bytes + bytes});
  };
  stage(symbol, nest.in_blocks * nest.tiles, nest.tiles, 0,
        [](WinogradEmitter& e, Value* channels, Value* tile) { e.TransformInput(tile, tile, channels); });
  kernel.boxes = {{0, 0, {{nest.in_blocks}, {nest.tiles, 0, nest.tiles / nest.shape.N}}}};
  if (nest.by_group) {
    stage(symbol + "_1", groups, 1, own_bytes,
          [&](WinogradEmitter& e, Value* group, Value*) { e.Group(group, b.Index(0), b.Index(nest.tiles)); });
    return kernel;
  }
  if (nest.knobs.column_items > 0) {
    const int64_t chunks = nest.line_items(), of_pair = nest.lines() * chunks;
    stage(symbol + "_1", nest.frequencies * groups * of_pair, of_pair, 0,
          [&](WinogradEmitter& e, Value* of, Value* part) {
            Value *line = b.Div(part, chunks), *item = b.Mod(part, chunks);
            Value* slot = b.Add(b.Mul(line, nest.tiles_w), b.Mul(item, nest.item_tiles()));
            e.Multiply(b.Div(of, groups), b.Mod(of, groups), slot, e.PassOfLine(line, item));
          });
    stage(symbol + "_2", nest.out_blocks * nest.tiles, nest.tiles, 0,
          [](WinogradEmitter& e, Value* channels, Value* tile) { e.TransformOutput(tile, tile, channels, channels); });
    const auto box = [&](int number, int64_t outer, std::vector<StageAxis> axes) {
      axes.insert(axes.begin(), StageAxis{outer});
      return StageBox{number, 0, std::move(axes)};
    };
    kernel.boxes = {box(0, nest.in_blocks, nest.LineAxes(nest.tiles_w, 1)),
                    box(1, nest.frequencies * groups, nest.LineAxes(chunks, nest.item_tiles())),
                    box(2, nest.out_blocks, nest.LineAxes(nest.tiles_w, 1))};
    return kernel;
  }
  const int64_t chunk = SlotsOfItem(nest), chunks = CeilDiv(nest.block_tiles, chunk);
  stage(symbol + "_1", nest.frequencies * groups * chunks, chunks, 0, [&](WinogradEmitter& e, Value* of, Value* part) {
    Value* first = b.Mul(part, chunk);
    e.MultiplySlots(b.Div(of, groups), b.Mod(of, groups), first, b.Min(b.Add(first, chunk), b.Index(nest.block_tiles)));
  });
  stage(symbol + "_2", nest.out_blocks * nest.tiles, nest.tiles, 0,
        [](WinogradEmitter& e, Value* channels, Value* tile) { e.TransformOutput(tile, tile, channels, channels); });
  const int64_t per_image = nest.tiles / nest.shape.N;
  kernel.boxes.push_back({1, 0, {{nest.frequencies * groups}, {chunks, 0, per_image, chunk}}});
  kernel.boxes.push_back({2, 0, {{nest.out_blocks}, {nest.tiles, 0, per_image}}});
  return kernel;
}

}  // namespace

EmittedKernel EmitConv2dWinograd(KernelBuilder& builder, const WinogradNest& nest, const Epilogue& epilogue,
                                 const std::string& symbol) {
  return nest.knobs.tile_block > 0 ? EmitFused(builder, nest, epilogue, symbol)
                                   : EmitStaged(builder, nest, epilogue, symbol);
}

}  // namespace hone
