// The first stage: copies the input with its padding, as rows of tiles. One row of the plane, here with pad_l=1:
//
//   dense, ic_block=16           | 0 | pixel 0                           | pixel 1 | .. | 0 |    64 bytes a pixel
//                                    | block 4i | 4i + 1 | 4i + 2 | 4i + 3 |    blocks past the last one are zeros
//   thin, ic_block=4             | 0 | c0 c1 c2 0 | c0 c1 c2 0 | .. | 0 |              four channels a pixel
//   thin, ic_block=1 (NCHW)      the same, 16 pixels of each channel's plane interleaved at a time
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv2d_amx.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int kThinRun = 16;  // pixels of a thin input that are interleaved together

class RowFiller {
 public:
  RowFiller(KernelBuilder& builder, const AmxNest& nest) : b_(builder), nest_(nest), s_(nest.shape) {
    from_column_ = Bytes(nest.types.data, nest.knobs.ic_block);
    parts_ = static_cast<int>(nest.product.channels / nest.knobs.ic_block);
  }

  void Emit(const StageArgs& args) {
    Value* data = b_.Operand(args, 0);
    Value* stride = b_.BatchStride(args, 0);
    Value* plane = b_.SharedWorkspace(args);
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value* block_of_image = b_.Div(item, nest_.plane_h);
      Value* row = b_.Sub(b_.Mod(item, nest_.plane_h), b_.Index(s_.pad_t));
      Value* image = b_.At(data, b_.Mul(b_.Div(block_of_image, nest_.in_blocks), stride));
      Value* to = b_.At(plane, b_.Mul(item, nest_.plane_w * nest_.pixel_bytes));
      // As an unsigned number, a row above or below the image is large.
      Value* inside = b_.ir().CreateICmpULT(row, b_.Index(s_.H));
      b_.If(
          inside, [&] { Row(image, b_.Mod(block_of_image, nest_.in_blocks), row, to); },
          [&] { Zeros(to, 0, nest_.plane_w); });
    });
  }

 private:
  void Row(Value* image, Value* block, Value* row, Value* to) {
    const int64_t left = std::min(s_.pad_l, nest_.plane_w), last = std::min(nest_.plane_w, left + s_.W);
    Zeros(to, 0, left);
    Value* first = b_.At(to, left * nest_.pixel_bytes);
    if (!nest_.thin) {
      Pixels(image, block, row, first, last - left);
    } else if (nest_.knobs.ic_block == 1) {
      InterleavedPixels(image, row, first, last - left);
    } else {
      CopiedPixels(b_.At(image, b_.Mul(row, s_.W * from_column_)), first, last - left);
    }
    Zeros(to, last, nest_.plane_w);
  }

  void Pixels(Value* image, Value* block, Value* row, Value* to, int64_t count) {
    std::vector<Part> parts;
    for (int i = 0; i < parts_; ++i) parts.push_back(PartOf(image, block, row, i));
    b_.For(0, count, 1, [&](Value* column) {
      Value* at = b_.At(to, b_.Mul(column, kTileRowBytes));
      for (size_t i = 0; i < parts.size(); ++i) {
        Value* pixel = LoadBytes(b_.At(parts[i].from, b_.Mul(column, from_column_)));
        if (parts[i].absent) pixel = b_.ir().CreateSelect(parts[i].absent, Zero(from_column_), pixel);
        b_.Store(pixel, b_.At(at, static_cast<int64_t>(i) * from_column_));
      }
    });
  }

  // Copies `kThinRun` pixels of a thin input at a time, and the remaining ones one by one.
  void InRuns(int64_t count, const std::function<void(Value* first, int pixels)>& body) {
    const int64_t main = count / kThinRun * kThinRun;
    b_.For(0, main, kThinRun, [&](Value* column) { body(column, kThinRun); });
    b_.For(main, count, 1, [&](Value* column) { body(column, 1); });
  }

  void CopiedPixels(Value* from, Value* to, int64_t count) {
    InRuns(count, [&](Value* column, int pixels) {
      Value* offset = b_.Mul(column, nest_.pixel_bytes);
      const int bytes = static_cast<int>(pixels * nest_.pixel_bytes);
      b_.Store(LoadElements(b_, DType::kUInt8, b_.At(from, offset), bytes), b_.At(to, offset));
    });
  }

  // From plain NCHW: loads a run of each channel's plane and stores it pixel by pixel.
  void InterleavedPixels(Value* image, Value* row, Value* to, int64_t count) {
    const DType type = nest_.types.data;
    InRuns(count, [&](Value* column, int pixels) {
      Vals channels;
      for (int64_t c = 0; c < kThinChannels; ++c) {
        Value* plane = b_.At(image, b_.Mul(b_.Add(row, c * s_.H), Bytes(type, s_.W)));
        Value* zeros = llvm::Constant::getNullValue(VectorOf(ElementType(b_, type), pixels));
        channels.push_back(c < s_.C ? LoadElements(b_, type, b_.At(plane, b_.Mul(column, Bytes(type))), pixels)
                                    : zeros);
      }
      b_.Store(Interleaved(channels, pixels), b_.At(to, b_.Mul(column, nest_.pixel_bytes)));
    });
  }

  Value* Interleaved(const Vals& channels, int pixels) {
    auto& ir = b_.ir();
    if (pixels == 1) {
      Value* pixel = llvm::UndefValue::get(VectorOf(ElementType(b_, nest_.types.data), kThinChannels));
      for (uint64_t c = 0; c < kThinChannels; ++c) pixel = ir.CreateInsertElement(pixel, Nth(channels, c), c);
      return pixel;
    }
    std::vector<int> joined, order;
    for (int i = 0; i < 2 * pixels; ++i) joined.push_back(i);
    for (int p = 0; p < pixels; ++p) {
      for (int c = 0; c < kThinChannels; ++c) order.push_back(c * pixels + p);
    }
    Value* front = ir.CreateShuffleVector(channels[0], channels[1], joined);
    Value* back = ir.CreateShuffleVector(channels[2], channels[3], joined);
    return ir.CreateShuffleVector(front, back, order);
  }

  // The input block's row that becomes this part of the tile's row, and whether it is absent. If it is absent, `from`
  // points at another block's row.
  struct Part {
    Value* from;
    Value* absent;
  };

  Part PartOf(Value* image, Value* block, Value* row, int part) {
    Value* from = b_.Add(b_.Mul(block, parts_), part);
    Value* absent = nullptr;
    if (const int64_t blocks = CeilDiv(s_.C, nest_.knobs.ic_block); blocks % parts_ != 0) {
      absent = b_.ir().CreateICmpSGE(from, b_.Index(blocks));
      from = b_.Min(from, b_.Index(blocks - 1));
    }
    return {b_.At(image, b_.Mul(b_.Add(b_.Mul(from, s_.H), row), s_.W * from_column_)), absent};
  }

  Value* LoadBytes(Value* ptr) { return LoadElements(b_, DType::kUInt8, ptr, static_cast<int>(from_column_)); }

  Value* Zero(int64_t bytes) {
    return llvm::Constant::getNullValue(VectorOf(b_.ir().getInt8Ty(), static_cast<int>(bytes)));
  }

  void Zeros(Value* to, int64_t first, int64_t last) {
    b_.For(first, last, 1,
           [&](Value* column) { b_.Store(Zero(nest_.pixel_bytes), b_.At(to, b_.Mul(column, nest_.pixel_bytes))); });
  }

  KernelBuilder& b_;
  const AmxNest& nest_;
  const ConvShape& s_;
  int64_t from_column_;
  int parts_;
};

}  // namespace

void EmitAmxFill(KernelBuilder& builder, const AmxNest& nest, const StageArgs& args) {
  RowFiller(builder, nest).Emit(args);
}

}  // namespace hone
