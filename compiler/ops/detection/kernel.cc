// Pooled regions of images as a kernel of its own: data decide what is read. An item is some channels of a region. A
// region whose image index is outside the batch reads the nearest image.
//
// A sample's pixels and weights are the same for all channels, so they are computed once for the channels of an item.
// These are few enough that the cache lines of pixels which samples share stay in the first cache.
#include <algorithm>
#include <limits>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/generic/operand_access.h"
#include "compiler/ops/detection/op_roi_sampling.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

constexpr int64_t kRoiItemChannels = 16;  // most channels of an item
constexpr int64_t kRoiFloatBytes = 4;

struct RoiShape {
  explicit RoiShape(const relay::Call& call)
      : data(TensorTypeOf(call.args[0]).shape),
        rois(TensorTypeOf(call.args[1]).shape[0]),
        image_type(TensorTypeOf(call.args[2]).dtype),
        pooled(call.attrs.GetInts("pooled_size")),
        scale(static_cast<float>(call.attrs.GetFloat("spatial_scale", 1))),
        ratio(call.attrs.GetInt("sample_ratio")),
        is_max(call.attrs.GetString("mode") == "max"),
        aligned(call.attrs.GetBool("aligned", true)) {}

  int64_t channels() const { return data[1]; }
  int64_t chunks() const { return (channels() + kRoiItemChannels - 1) / kRoiItemChannels; }

  Shape data;
  int64_t rois;
  DType image_type;
  std::vector<int64_t> pooled;
  float scale;
  int64_t ratio;
  bool is_max, aligned;
};

struct RoiOperands {
  Value *data, *rois, *images, *result;
};

// One axis of a region, as in the reference.
struct RoiAxis {
  Value *begin, *bin, *samples;
  int64_t extent;
};

// The position of a sample along an axis.
struct RoiSample {
  Value *inside, *low, *high, *weight;
};

class RoiKernel {
 public:
  RoiKernel(KernelBuilder& b, const RoiShape& shape, const RoiOperands& operands)
      : b_(b), shape_(shape), operands_(operands) {}

  void EmitItem(Value* item) {
    Value *roi = b_.Div(item, shape_.chunks()), *first = b_.Mul(b_.Mod(item, shape_.chunks()), kRoiItemChannels);
    count_ = b_.Min(b_.Index(kRoiItemChannels), b_.Sub(b_.Index(shape_.channels()), first));
    Value* image =
        b_.LoadAs(ElementType(b_, shape_.image_type), b_.At(operands_.images, b_.Mul(roi, Bytes(shape_.image_type))));
    image = SafeIndex(b_, image, shape_.data[0]);
    planes_ = b_.At(operands_.data, b_.Mul(b_.Add(b_.Mul(image, shape_.channels()), first), PlaneBytes()));
    Value* box = b_.At(operands_.rois, b_.Mul(roi, 4 * kRoiFloatBytes));
    const RoiAxis rows = AxisOf(box, 1, shape_.pooled[0], shape_.data[2]),
                  columns = AxisOf(box, 0, shape_.pooled[1], shape_.data[3]);
    Value* bins = b_.At(operands_.result, b_.Mul(b_.Add(b_.Mul(roi, shape_.channels()), first), BinsBytes()));
    b_.For(0, shape_.pooled[0], 1, [&](Value* row) {
      b_.For(0, shape_.pooled[1], 1, [&](Value* column) {
        results_ = b_.At(bins, b_.Mul(b_.Add(b_.Mul(row, shape_.pooled[1]), column), kRoiFloatBytes));
        EmitBin(rows, row, columns, column);
      });
    });
  }

 private:
  int64_t PlaneBytes() const { return shape_.data[2] * shape_.data[3] * kRoiFloatBytes; }
  int64_t BinsBytes() const { return shape_.pooled[0] * shape_.pooled[1] * kRoiFloatBytes; }
  Value* AsFloat(Value* number) { return b_.ir().CreateSIToFP(number, b_.f32()); }

  RoiAxis AxisOf(Value* box, int64_t axis, int64_t bins, int64_t extent) {
    auto& ir = b_.ir();
    const auto side = [&](int64_t at) {
      Value* scaled = b_.FMul(b_.Load(b_.At(box, at * kRoiFloatBytes)), b_.Float(shape_.scale));
      return b_.FSub(scaled, b_.Float(shape_.aligned ? 0.5F : 0.0F));
    };
    Value *begin = side(axis), *length = b_.FSub(side(axis + 2), begin);
    if (!shape_.aligned) length = b_.FMax(length, b_.Float(1));
    Value* bin = b_.FDiv(length, b_.Float(static_cast<float>(bins)));
    if (shape_.ratio > 0) return {begin, bin, b_.Index(shape_.ratio), extent};
    Value* whole = ir.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, bin);
    whole = b_.FMin(whole, b_.Float(static_cast<float>(relay::kMostRoiSamples)));
    whole = ir.CreateSelect(ir.CreateFCmpOGT(bin, b_.Float(0)), whole, b_.Float(0));
    return {begin, bin, ir.CreateFPToSI(whole, b_.i64()), extent};
  }

  RoiSample SampleAt(const RoiAxis& axis, Value* bin, Value* i) {
    auto& ir = b_.ir();
    Value* step = b_.FDiv(b_.FMul(b_.FAdd(AsFloat(i), b_.Float(0.5F)), axis.bin), AsFloat(axis.samples));
    Value* at = b_.FAdd(b_.FAdd(axis.begin, b_.FMul(AsFloat(bin), axis.bin)), step);
    Value* inside = ir.CreateAnd(ir.CreateFCmpOGE(at, b_.Float(-1)),
                                 ir.CreateFCmpOLE(at, b_.Float(static_cast<float>(axis.extent))));
    at = ir.CreateSelect(inside, b_.FMax(at, b_.Float(0)), b_.Float(0));
    Value *low = ir.CreateFPToSI(at, b_.i64()), *last = b_.Index(axis.extent - 1);
    Value* at_end = ir.CreateICmpSGE(low, last);
    Value* weight = ir.CreateSelect(at_end, b_.Float(0), b_.FSub(at, AsFloat(low)));
    return {inside, ir.CreateSelect(at_end, last, low), ir.CreateSelect(at_end, last, b_.Add(low, 1)), weight};
  }

  void ForChannels(const std::function<void(Value* plane, Value* result)>& body) {
    b_.For(b_.Index(0), count_, 1,
           [&](Value* c) { body(b_.At(planes_, b_.Mul(c, PlaneBytes())), b_.At(results_, b_.Mul(c, BinsBytes()))); });
  }

  void EmitBin(const RoiAxis& rows, Value* row, const RoiAxis& columns, Value* column) {
    auto& ir = b_.ir();
    Value* samples = b_.Mul(rows.samples, columns.samples);
    Value* none = ir.CreateICmpSLE(samples, b_.Index(0));
    // A bin without samples is 0.
    const float least = shape_.is_max ? -std::numeric_limits<float>::infinity() : 0;
    Value* start = ir.CreateSelect(none, b_.Float(0), b_.Float(least));
    ForChannels([&](Value*, Value* result) { b_.Store(start, result); });
    b_.For(b_.Index(0), rows.samples, 1, [&](Value* i) {
      const RoiSample y = SampleAt(rows, row, i);
      b_.For(b_.Index(0), columns.samples, 1, [&](Value* j) { EmitSample(y, SampleAt(columns, column, j)); });
    });
    if (shape_.is_max) return;
    Value* count = AsFloat(b_.Max(samples, b_.Index(1)));
    ForChannels([&](Value*, Value* result) { b_.Store(b_.FDiv(b_.Load(result), count), result); });
  }

  // Outside the image all weights are 0.
  void EmitSample(const RoiSample& y, const RoiSample& x) {
    auto& ir = b_.ir();
    Value* inside = ir.CreateAnd(y.inside, x.inside);
    const auto weight = [&](Value* a, Value* b) { return ir.CreateSelect(inside, b_.FMul(a, b), b_.Float(0)); };
    Value *one = b_.Float(1), *top = b_.FSub(one, y.weight), *left = b_.FSub(one, x.weight);
    const Vals weights{weight(top, left), weight(top, x.weight), weight(y.weight, left), weight(y.weight, x.weight)};
    const auto offset = [&](Value* row, Value* column) {
      return b_.Mul(b_.Add(b_.Mul(row, shape_.data[3]), column), kRoiFloatBytes);
    };
    const Vals offsets{offset(y.low, x.low), offset(y.low, x.high), offset(y.high, x.low), offset(y.high, x.high)};
    ForChannels([&](Value* plane, Value* result) {
      Value* sum = b_.Load(result);
      for (size_t k = 0; k < weights.size(); ++k) {
        Value* pixel = b_.Load(b_.At(plane, offsets[k]));
        if (shape_.is_max) {
          sum = b_.FMax(sum, ir.CreateSelect(inside, b_.FMul(weights[k], pixel), b_.Float(0)));
        } else {
          sum = b_.Fma(weights[k], ir.CreateSelect(inside, pixel, b_.Float(0)), sum);
        }
      }
      b_.Store(sum, result);
    });
  }

  KernelBuilder& b_;
  const RoiShape& shape_;
  const RoiOperands& operands_;
  Value *count_ = nullptr, *planes_ = nullptr, *results_ = nullptr;  // of the item's channels; results of the bin
};

EmittedKernel EmitRoiAlign(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const RoiShape shape(*WholeCallOf(function));
  builder.Stage(symbol, [&](const StageArgs& args) {
    const auto argument = [&](size_t i) { return builder.Operand(args, ParameterOf(function, i)); };
    const RoiOperands operands{argument(0), argument(1), argument(2),
                               builder.Operand(args, static_cast<int>(function.params.size()))};
    builder.For(args.begin, args.end, 1, [&](Value* item) { RoiKernel(builder, shape, operands).EmitItem(item); });
  });
  return {{{symbol, shape.rois * shape.chunks(), 1, 0}}, 0};
}

}  // namespace

EmitterTable RoiAlignEmitters() { return {{"vision.roi_align", EmitRoiAlign}}; }

}  // namespace hone
