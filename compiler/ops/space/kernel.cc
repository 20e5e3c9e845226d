#include "compiler/ops/space/kernel.h"

#include <algorithm>
#include <numeric>

#include "compiler/codegen/element.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/ops/kernel_families.h"
#include "core/ceil_div.h"
#include "core/layout.h"
#include "core/nth.h"

namespace hone {
namespace {

// `channel` advanced by `places` times `channels`; a whole block stays one.
Coordinate MovedOn(KernelBuilder& b, const Coordinate& channel, Value* places, int64_t channels) {
  Coordinate moved{b.Add(channel.base, b.Mul(places, channels)), channel.step};
  if (channel.block > 0 && channels % channel.block == 0) {
    moved.block = channel.block;
    moved.block_index = b.Add(channel.block_index, b.Mul(places, channels / channel.block));
  }
  return moved;
}

Value* DepthToSpace(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  if (at[2].step != 0 || at[3].step != 0) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return DepthToSpace(e, call, one, kScalar); });
  }
  KernelBuilder& b = e.b();
  const int64_t size = call.attrs.GetInt("block_size"), channels = call.type->shape[1];
  Value* place = b.Add(b.Mul(b.Mod(at[2].base, size), size), b.Mod(at[3].base, size));
  Coordinate channel;
  if (call.attrs.GetString("mode", "DCR") == "DCR") {
    channel = MovedOn(b, at[1], place, channels);
  } else {
    channel = Scaled(b, at[1], size * size);
    channel = {b.Add(channel.base, place), channel.step};
  }
  return e.Eval(call.args[0], {at[0], channel, At(b.Div(at[2].base, size)), At(b.Div(at[3].base, size))}, lanes);
}

// A work item writes the rows of one image and one channel (or block of channels) that come from one row of each phase.
// With strides of 2 each way, one row from each of four phases gives two rows:
//
//    fields (0, 0): a0 a1 a2     (0, 1): b0 b1       rows    a0 b0 a1 b1 a2
//           (1, 0): c0 c1 c2     (1, 1): d0 d1               c0 d0 c1 d1 c2
//
// A letter is a pixel. It is a vector of a block's channels, which is loaded and stored, or one element. With single
// elements, a vector from each field of the row is shuffled into as many vectors of the result.

// More fields are moved element by element, because their shuffles would cost as much.
constexpr int64_t kMostShuffled = 8;

// The shape in memory of rows of pixels.
struct Image {
  int64_t planes = 1;  // planes of an image: channels, or blocks of them
  int64_t pixel = 1;   // contiguous elements of a pixel
  int64_t rows = 1, columns = 1;
};

Image ImageOf(const relay::Type& type) {
  const Layout layout = type.layout.empty() ? Layout() : Layout::Parse(type.layout);
  const int64_t block = layout.empty() ? 1 : layout.axes().back().block;
  return {CeilDiv(type.shape[1], block), block, type.shape[2], type.shape[3]};
}

class InterleaveEmitter {
 public:
  InterleaveEmitter(KernelBuilder& b, const StageArgs& args, const relay::Function& function)
      : b_(b),
        args_(args),
        function_(function),
        call_(*InterleaveOf(function)),
        image_(ImageOf(*call_.type)),
        dtype_(call_.type->dtype) {
    const std::vector<int64_t> strides = call_.attrs.GetInts("strides");
    row_phases_ = strides[0];
    column_phases_ = strides[1];
    for (const relay::ExprPtr& field : relay::AsTuple(call_.args[0])->fields) {
      const auto param = std::find(function.params.begin(), function.params.end(), field);
      fields_.push_back(
          {static_cast<int>(param - function.params.begin()), ImageOf(*field->type), field->type->shape[0] == 1});
    }
    result_ = static_cast<int>(function.params.size());
  }

  int64_t Items() const { return call_.type->shape[0] * image_.planes * RowsOf(0); }

  void Item(Value* item) {
    Value* row = b_.Mod(item, RowsOf(0));
    Value* plane = b_.Div(item, RowsOf(0));
    Value* n = b_.Div(plane, image_.planes);
    plane = b_.Mod(plane, image_.planes);
    for (int64_t phase = 0; phase < row_phases_; ++phase) {
      const auto rows = [&] { Row(n, plane, row, phase); };
      if (RowsOf(phase) == RowsOf(0)) {
        rows();
      } else {
        b_.If(b_.ir().CreateICmpSLT(row, b_.Index(RowsOf(phase))), rows);
      }
    }
  }

 private:
  struct Field {
    int operand;
    Image image;
    bool one_image;  // one image for all images of the result
  };

  int64_t RowsOf(int64_t phase) const { return CeilDiv(image_.rows - phase, row_phases_); }
  int64_t PixelBytes() const { return Bytes(dtype_, image_.pixel); }

  // Address of a row of an operand.
  Value* RowAt(int operand, const Image& image, Value* n, Value* plane, Value* row) {
    const int64_t row_bytes = image.columns * PixelBytes();
    Value* stride = LiesApart(function_, static_cast<size_t>(operand))
                        ? b_.BatchStride(args_, operand)
                        : b_.Index(image.planes * image.rows * row_bytes);
    Value* base = b_.At(b_.Operand(args_, operand), b_.Mul(n, stride));
    return b_.At(base, b_.Mul(b_.Add(b_.Mul(plane, image.rows), row), row_bytes));
  }

  // A field's row; a field of one pixel has the same row everywhere.
  Value* FieldRow(const Field& field, Value* n, Value* plane, Value* row) {
    return RowAt(field.operand, field.image, field.one_image ? b_.Index(0) : n, plane,
                 field.image.rows == 1 ? b_.Index(0) : row);
  }

  void Row(Value* n, Value* plane, Value* row, int64_t phase) {
    Value* to = RowAt(result_, image_, n, plane, b_.Add(b_.Mul(row, row_phases_), phase));
    Vals from;
    for (int64_t c = 0; c < column_phases_; ++c) from.push_back(FieldRow(FieldOf(phase, c), n, plane, row));
    const int64_t whole = image_.columns / column_phases_;
    const int64_t lanes = image_.pixel == 1 && column_phases_ <= kMostShuffled ? b_.lanes() : 1;
    const int64_t shuffled = lanes > 1 ? whole / lanes * lanes : 0;
    b_.For(0, shuffled, lanes, [&](Value* at) { Shuffled(from, to, phase, at); });
    b_.For(shuffled, whole, 1, [&](Value* at) { Pixels(from, to, phase, at, column_phases_); });
    Pixels(from, to, phase, b_.Index(whole), image_.columns % column_phases_);
  }

  const Field& FieldOf(int64_t row_phase, int64_t column_phase) const {
    return Nth(fields_, row_phase * column_phases_ + column_phase);
  }

  // Writes column `at` of each phase, for the first `count` phases.
  void Pixels(const Vals& from, Value* to, int64_t phase, Value* at, int64_t count) {
    for (int64_t c = 0; c < count; ++c) {
      Value* column = b_.Add(b_.Mul(at, column_phases_), c);
      b_.Store(Columns(from, phase, c, at, static_cast<int>(image_.pixel)), b_.At(to, b_.Mul(column, PixelBytes())));
    }
  }

  // `elements` elements of a field's row, from column `at` on.
  Value* Columns(const Vals& from, int64_t phase, int64_t c, Value* at, int elements) {
    const bool one = FieldOf(phase, c).image.columns == 1;
    Value* here = one ? Nth(from, c) : b_.At(Nth(from, c), b_.Mul(at, PixelBytes()));
    if (!one || image_.pixel > 1) return LoadElements(b_, dtype_, here, elements);
    return b_.Splat(LoadElements(b_, dtype_, here, 1), elements);
  }

  // Interleaves the elements of one vector from each phase.
  void Shuffled(const Vals& from, Value* to, int64_t phase, Value* at) {
    const int lanes = b_.lanes(), phases = static_cast<int>(column_phases_), width = lanes * phases;
    Value* all = nullptr;
    for (int c = 0; c < phases; ++c) {
      std::vector<int> spread(static_cast<size_t>(width), llvm::PoisonMaskElem), merge(static_cast<size_t>(width));
      std::iota(merge.begin(), merge.end(), 0);
      for (int l = 0; l < lanes; ++l) {
        Nth(spread, l * phases + c) = l;
        Nth(merge, l * phases + c) += width;
      }
      Value* part = b_.ir().CreateShuffleVector(Columns(from, phase, c, at, lanes), spread);
      all = all == nullptr ? part : b_.ir().CreateShuffleVector(all, part, merge);
    }
    b_.Store(all, b_.At(to, b_.Mul(at, column_phases_ * PixelBytes())));
  }

  KernelBuilder& b_;
  const StageArgs& args_;
  const relay::Function& function_;
  const relay::Call& call_;
  Image image_;
  DType dtype_;
  int64_t row_phases_ = 1, column_phases_ = 1;
  std::vector<Field> fields_;
  int result_ = 0;
};

}  // namespace

const relay::Call* InterleaveOf(const relay::Function& function) {
  const relay::Call* call = relay::AsCallTo(function.body, "nn.interleave");
  const relay::Tuple* tuple = call != nullptr ? relay::AsTuple(call->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  const bool parameters = std::all_of(tuple->fields.begin(), tuple->fields.end(), [&](const relay::ExprPtr& field) {
    return std::find(function.params.begin(), function.params.end(), field) != function.params.end();
  });
  return parameters ? call : nullptr;
}

int64_t EmitInterleave(KernelBuilder& b, const StageArgs& args, const relay::Function& function) {
  InterleaveEmitter emitter(b, args, function);
  b.For(args.begin, args.end, 1, [&](Value* item) { emitter.Item(item); });
  return emitter.Items();
}

EmitterTable SpaceEmitters() { return {{"nn.depth_to_space", DepthToSpace}}; }

}  // namespace hone
