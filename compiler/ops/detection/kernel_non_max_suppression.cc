// Non-maximum suppression as a kernel of its own: each box that is kept decides which may be kept next.
//
// Two stages. A work item of the first is a class of an image. Its scores above the threshold form a heap whose root is
// the best. Each box taken from it is compared with those that stay, some at a time. The second stage moves the rows
// together:
//
//    rows     [pair 0: room rows][pair 1: room rows] ...     first stage: each pair's own, from its beginning
//    counts   [n0][n1] ...                                   of the rows there
//    rows     [n0 rows][n1 rows] ... [zeros]                 second stage: nothing moves backwards
//
// A key is one integer, so that among equal scores the first box is the better one:
//
//    high half: the score as a number that grows with it      low half: the box's number, inverted
//
// A worker's memory has the keys, then the corners of the boxes that stay, as four arrays: lefts, tops, rights,
// bottoms.
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/ops/topk/kernel_key_heap.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

constexpr int64_t kSuppressionWordBytes = 8;  // for a key, a count and each part of a row
constexpr int64_t kSuppressionFloatBytes = 4;
constexpr int64_t kSuppressionRowBytes = 3 * kSuppressionWordBytes;
constexpr int kScoreVectors = 2;  // vectors of scores that are compared with the threshold together

struct SuppressionShape {
  explicit SuppressionShape(const relay::Call& call)
      : images(TensorTypeOf(call.args[1]).shape[0]),
        classes(TensorTypeOf(call.args[1]).shape[1]),
        boxes(TensorTypeOf(call.args[1]).shape[2]),
        room(call.attrs.GetInt("room")),
        is_centre(call.attrs.GetBool("center_point_box")) {}
  int64_t pairs() const { return images * classes; }
  int64_t images, classes, boxes, room;
  bool is_centre;
};

// One box, or one in each lane.
struct Corners {
  Value *left, *top, *right, *bottom;
};

class SuppressionKernel {
 public:
  SuppressionKernel(KernelBuilder& b, const relay::Function& function)
      : b_(b), function_(function), shape_(*WholeCallOf(function)) {}

  const SuppressionShape& shape() const { return shape_; }
  int64_t workspace_bytes() const { return shape_.boxes * kSuppressionWordBytes + 4 * side_bytes(); }

  void EmitPairs(const StageArgs& args) {
    // For boxes close to the threshold, a sum fused with a product would decide differently from ONNX's formula.
    llvm::IRBuilderBase::FastMathFlagGuard guard(b_.ir());
    b_.ir().clearFastMathFlags();
    Begin(args);
    b_.For(args.begin, args.end, 1, [&](Value* pair) { EmitPair(pair); });
  }

  void EmitMoves(const StageArgs& args) {
    Begin(args);
    b_.For(args.begin, args.end, 1, [&](Value*) { MovePairs(); });
  }

 private:
  void MovePairs() {
    const Vals total = b_.Loop(0, shape_.pairs(), 1, {b_.Index(0)}, [&](Value* pair, const Vals& to) {
      Value *count = b_.LoadAs(b_.i64(), Word(counts_, pair)), *from = b_.Mul(pair, shape_.room * 3);
      b_.For(b_.Index(0), b_.Mul(count, 3), 1, [&](Value* i) {
        b_.Store(b_.LoadAs(b_.i64(), Word(rows_, b_.Add(from, i))), Word(rows_, b_.Add(b_.Mul(to[0], 3), i)));
      });
      return Vals{b_.Add(to[0], count)};
    });
    b_.Store(total[0], total_);
    b_.For(b_.Mul(total[0], 3), b_.Index(shape_.pairs() * shape_.room * 3), 1,
           [&](Value* i) { b_.Store(b_.Index(0), Word(rows_, i)); });
  }

  int lanes() const { return b_.lanes(); }
  // Whole vectors may be read and written from any used position.
  int64_t side_bytes() const { return (shape_.room + lanes()) * kSuppressionFloatBytes; }
  Value* Word(Value* words, Value* i) { return b_.At(words, b_.Mul(i, kSuppressionWordBytes)); }

  void Begin(const StageArgs& args) {
    const auto operand = [&](size_t i) { return b_.Operand(args, ParameterOf(function_, i)); };
    const auto result = static_cast<int>(function_.params.size());
    boxes_ = operand(0);
    scores_ = operand(1);
    limit_ = b_.Min(b_.LoadAs(b_.i64(), operand(2)), b_.Index(shape_.room));
    most_overlap_ = b_.Load(operand(3));
    least_score_ = b_.Load(operand(4));
    rows_ = b_.Operand(args, result);
    total_ = b_.Operand(args, result + 1);
    counts_ = b_.SharedWorkspace(args);
    keys_ = b_.WorkerWorkspace(args);
    sides_ = b_.At(keys_, shape_.boxes * kSuppressionWordBytes);
  }

  void EmitPair(Value* pair) {
    Value *image = b_.Div(pair, shape_.classes), *count = Word(counts_, pair);
    KeyHeap heap(b_, b_.i64(), keys_);
    Value* candidates = EmitKeys(pair, heap);
    heap.Order(candidates);
    b_.Store(b_.Index(0), count);
    b_.For(b_.Index(0), candidates, 1, [&](Value* turn) {
      b_.If(b_.ir().CreateICmpSLT(b_.LoadAs(b_.i64(), count), limit_), [&] {
        Value *best = heap.Held(b_.Index(0)), *last = b_.Sub(b_.Sub(candidates, turn), b_.Index(1));
        heap.Sift(b_.Index(0), heap.Held(last), last);
        Value* box = b_.ir().CreateZExt(b_.ir().CreateNot(b_.ir().CreateTrunc(best, b_.i32())), b_.i64());
        const Corners corners = CornersOf(b_.Add(b_.Mul(image, shape_.boxes), box));
        Value* taken = b_.LoadAs(b_.i64(), count);
        b_.If(b_.ir().CreateNot(OverlapsAny(corners, taken)), [&] {
          Take(corners, taken);
          StoreRow(b_.Add(b_.Mul(pair, shape_.room), taken), {image, b_.Mod(pair, shape_.classes), box});
          b_.Store(b_.Add(taken, 1), count);
        });
      });
    });
  }

  // Skips scores below the threshold some vectors at a time.
  Value* EmitKeys(Value* pair, KeyHeap& heap) {
    Value* scores = b_.At(scores_, b_.Mul(pair, shape_.boxes * kSuppressionFloatBytes));
    const int64_t together = int64_t{kScoreVectors} * lanes(), whole = shape_.boxes / together * together;
    const Vals used = b_.Loop(0, whole, together, {b_.Index(0)}, [&](Value* first, const Vals& so_far) {
      Value* any = nullptr;
      for (int64_t i = 0; i < kScoreVectors; ++i) {
        Value* scored =
            Suffices(b_.Load(b_.At(scores, b_.Mul(b_.Add(first, i * lanes()), kSuppressionFloatBytes)), lanes()));
        any = any == nullptr ? scored : b_.ir().CreateOr(any, scored);
      }
      if (lanes() > 1) any = b_.ir().CreateOrReduce(any);
      Value* last = b_.ir().CreateSelect(any, b_.Add(first, together), first);
      return Vals{HoldKeys(scores, first, last, so_far[0], heap)};
    });
    return HoldKeys(scores, b_.Index(whole), b_.Index(shape_.boxes), used[0], heap);
  }

  Value* Suffices(Value* score) {
    Value* least = least_score_;
    if (score->getType()->isVectorTy()) least = b_.Splat(least, lanes());
    // True if ordered and greater; always true if the threshold is NaN.
    return b_.ir().CreateOr(b_.ir().CreateFCmpUNO(least, least), b_.ir().CreateFCmpOGT(score, least));
  }

  // Writes each key to the next free position, and advances that only if the score suffices.
  Value* HoldKeys(Value* scores, Value* first, Value* last, Value* used, KeyHeap& heap) {
    auto& ir = b_.ir();
    return b_.Loop(first, last, 1, {used}, [&](Value* i, const Vals& so_far) {
      Value* score = b_.Load(b_.At(scores, b_.Mul(i, kSuppressionFloatBytes)));
      Value* high = ir.CreateShl(ir.CreateSExt(FloatOrder(b_, score), b_.i64()), 32);
      heap.Hold(ir.CreateOr(high, ir.CreateZExt(ir.CreateNot(ir.CreateTrunc(i, b_.i32())), b_.i64())), so_far[0]);
      return Vals{b_.Add(so_far[0], ir.CreateZExt(Suffices(score), b_.i64()))};
    })[0];
  }

  Corners CornersOf(Value* box) {
    Value* at = b_.At(boxes_, b_.Mul(box, 4 * kSuppressionFloatBytes));
    Vals part;
    for (int64_t i = 0; i < 4; ++i) part.push_back(b_.Load(b_.At(at, i * kSuppressionFloatBytes)));
    if (!shape_.is_centre) {
      return {b_.FMin(part[1], part[3]), b_.FMin(part[0], part[2]), b_.FMax(part[1], part[3]),
              b_.FMax(part[0], part[2])};
    }
    Value *half_width = b_.FMul(part[2], b_.Float(0.5F)), *half_height = b_.FMul(part[3], b_.Float(0.5F));
    return {b_.FSub(part[0], half_width), b_.FSub(part[1], half_height), b_.FAdd(part[0], half_width),
            b_.FAdd(part[1], half_height)};
  }

  Value* Side(int64_t side, Value* i) {
    return b_.At(b_.At(sides_, side * side_bytes()), b_.Mul(i, kSuppressionFloatBytes));
  }

  // Behind the box it writes boxes without area, as many as one vector may read beyond.
  void Take(const Corners& box, Value* place) {
    const Vals sides{box.left, box.top, box.right, box.bottom};
    for (size_t i = 0; i < sides.size(); ++i) {
      b_.Store(b_.FloatVec(0, lanes()), Side(static_cast<int64_t>(i), place));
      b_.Store(sides[i], Side(static_cast<int64_t>(i), place));
    }
  }

  Value* OverlapsAny(const Corners& box, Value* taken) {
    auto& ir = b_.ir();
    const auto splat = [&](Value* side) { return b_.Splat(side, lanes()); };
    const Corners mine{splat(box.left), splat(box.top), splat(box.right), splat(box.bottom)};
    return b_.Loop(b_.Index(0), taken, lanes(), {ir.getFalse()}, [&](Value* i, const Vals& so_far) {
      const auto load = [&](int64_t side) { return b_.Load(Side(side, i), lanes()); };
      Value* overlaps = Overlaps(mine, {load(0), load(1), load(2), load(3)});
      return Vals{ir.CreateOr(so_far[0], lanes() == 1 ? overlaps : ir.CreateOrReduce(overlaps))};
    })[0];
  }

  Value* Area(const Corners& box) { return b_.FMul(b_.FSub(box.right, box.left), b_.FSub(box.bottom, box.top)); }

  // Equals OverlapsMore (compiler/ops/detection/op_non_max_suppression.cc).
  Value* Overlaps(const Corners& a, const Corners& b) {
    auto& ir = b_.ir();
    Value* zero = b_.FloatVec(0, lanes());
    Value *width = b_.FSub(b_.FMin(a.right, b.right), b_.FMax(a.left, b.left)),
          *height = b_.FSub(b_.FMin(a.bottom, b.bottom), b_.FMax(a.top, b.top));
    Value *both = b_.FMul(width, height), *area = Area(a), *other = Area(b);
    Value* either = b_.FSub(b_.FAdd(area, other), both);
    Value* overlaps = ir.CreateFCmpOGT(b_.FDiv(both, either), b_.Splat(most_overlap_, lanes()));
    for (Value* extent : {width, height, both, area, other, either}) {
      overlaps = ir.CreateAnd(overlaps, ir.CreateFCmpOGT(extent, zero));
    }
    return overlaps;
  }

  void StoreRow(Value* row, const Vals& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      b_.Store(parts[i],
               b_.At(b_.At(rows_, b_.Mul(row, kSuppressionRowBytes)), static_cast<int64_t>(i) * kSuppressionWordBytes));
    }
  }

  KernelBuilder& b_;
  const relay::Function& function_;
  SuppressionShape shape_;
  Value *boxes_ = nullptr, *scores_ = nullptr, *limit_ = nullptr, *most_overlap_ = nullptr, *least_score_ = nullptr;
  Value *rows_ = nullptr, *total_ = nullptr, *counts_ = nullptr, *keys_ = nullptr, *sides_ = nullptr;
};

EmittedKernel EmitNonMaxSuppression(KernelBuilder& builder, const relay::Function& function,
                                    const std::string& symbol) {
  SuppressionKernel kernel(builder, function);
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.EmitPairs(args); });
  builder.Stage(symbol + "_1", [&](const StageArgs& args) { kernel.EmitMoves(args); });
  return {{{symbol, kernel.shape().pairs(), 1, kernel.workspace_bytes()}, {symbol + "_1", 1, 1, 0}},
          kernel.shape().pairs() * kSuppressionWordBytes};
}

}  // namespace

EmitterTable NonMaxSuppressionEmitters() { return {{"vision.all_class_non_max_suppression", EmitNonMaxSuppression}}; }

}  // namespace hone
