// Images read at computed positions, as a kernel of its own, so that all channels share the computation of a position.
//
// A work item is some neighbouring positions of an image, and the channels that share them. First it computes, in
// vectors across positions, the offsets and weights of their pixels. Then each channel reads by these:
//
//    offsets    [tap][position] i32     elements from a plane's first pixel, inside the plane
//    weights    [tap][position] f32
//    inside     [tap][position] i32     -1, or 0 for a pixel that counts as zero
//
// The taps are the pixels around a position along each axis, two or four, or only the nearest one.
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/gather.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/schedules/schedule.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kGridItemPositions = 128;  // positions of a work item
constexpr int64_t kGridItemChannels = 32;    // most channels of a work item
constexpr int64_t kGridWordBytes = 4;        // for an element, an offset and a mask

struct GridShape {
  explicit GridShape(const relay::Call& call)
      : data(TensorTypeOf(call.args[0]).shape),
        places(ElementCount({call.type->shape.begin() + 2, call.type->shape.end()})),
        method(call.attrs.GetString("method")),
        corners(call.attrs.GetBool("align_corners")),
        padding(call.attrs.GetString("padding_mode")) {}

  size_t axes() const { return data.size() - 2; }
  int64_t pixels() const { return ElementCount({data.begin() + 2, data.end()}); }  // of a plane
  int64_t taps() const {
    const int64_t along = method == "nearest_neighbor" ? 1 : method == "bicubic" ? 4 : 2;
    return axes() == 2 ? along * along : along * along * along;
  }
  int64_t position_bytes() const { return static_cast<int64_t>(axes()) * kGridWordBytes; }
  int64_t groups() const { return CeilDiv(places, kGridItemPositions); }
  int64_t chunks() const { return CeilDiv(data[1], kGridItemChannels); }
  int64_t items() const { return std::max<int64_t>(1, data[0] * groups() * chunks()); }
  bool zeros() const { return padding == "zeros"; }

  Shape data;
  int64_t places;
  std::string method;
  bool corners;
  std::string padding;
};

// Positions of a vector of pixels along an axis, as integers in float32, and the weight of each.
struct GridTaps {
  Vals pixels, weights;
};

class GridKernel {
 public:
  GridKernel(KernelBuilder& b, const GridShape& shape) : b_(b), shape_(shape), lanes_(b.lanes()) {}

  int64_t table_bytes() const { return shape_.taps() * (kGridItemPositions + lanes_) * kGridWordBytes; }
  int64_t workspace_bytes() const { return 3 * table_bytes(); }

  void Emit(const StageArgs& args, Value* data, Value* grid, Value* result) {
    offsets_ = b_.WorkerWorkspace(args);
    weights_ = b_.At(offsets_, table_bytes());
    inside_ = b_.At(weights_, table_bytes());
    if (shape_.data[0] * shape_.data[1] * shape_.places == 0) return;
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value *chunk = b_.Mod(item, shape_.chunks()), *rest = b_.Div(item, shape_.chunks());
      Value *group = b_.Mod(rest, shape_.groups()), *image = b_.Div(rest, shape_.groups());
      Value* first = b_.Mul(group, kGridItemPositions);
      Value* count = b_.Min(b_.Index(kGridItemPositions), b_.Sub(b_.Index(shape_.places), first));
      Value* position = b_.Add(b_.Mul(image, shape_.places), first);
      EmitTables(b_.At(grid, b_.Mul(position, shape_.position_bytes())), count);
      Value *channel = b_.Mul(chunk, kGridItemChannels),
            *last = b_.Min(b_.Add(channel, kGridItemChannels), b_.Index(shape_.data[1]));
      b_.For(channel, last, 1, [&](Value* c) {
        Value* plane = b_.Add(b_.Mul(image, shape_.data[1]), c);
        Value* to = b_.Add(b_.Mul(plane, shape_.places), first);
        EmitPlane(b_.At(data, b_.Mul(plane, shape_.pixels() * kGridWordBytes)),
                  b_.At(result, b_.Mul(to, kGridWordBytes)), count);
      });
    });
  }

 private:
  Value* Entry(Value* table, int64_t tap, Value* i) {
    return b_.At(b_.At(table, tap * (kGridItemPositions + lanes_) * kGridWordBytes), b_.Mul(i, kGridWordBytes));
  }
  Value* Constant(float x, Value* like) { return llvm::ConstantFP::get(like->getType(), x); }

  // Whole vectors, then single positions, so that the grid is not read past its end.
  void ForVectors(Value* count, const std::function<void(Value* i, int lanes)>& body) {
    Value* whole = b_.Mul(b_.Div(count, lanes_), lanes_);
    b_.For(b_.Index(0), whole, lanes_, [&](Value* i) { body(i, lanes_); });
    b_.For(whole, count, 1, [&](Value* i) { body(i, 1); });
  }

  void EmitTables(Value* grid, Value* count) {
    ForVectors(count, [&](Value* i, int lanes) {
      const auto axes = static_cast<int>(shape_.axes());
      Value* positions = b_.Load(b_.At(grid, b_.Mul(i, shape_.position_bytes())), axes * lanes);
      const auto part = [&](int which) {
        std::vector<int> mask;
        for (int lane = 0; lane < lanes; ++lane) mask.push_back(axes * lane + which);
        if (lanes == 1) return b_.ir().CreateExtractElement(positions, static_cast<uint64_t>(which));
        return b_.ir().CreateShuffleVector(positions, llvm::ArrayRef<int>(mask));
      };
      std::vector<GridTaps> taps;
      for (int d = 0; d < axes; ++d)
        taps.push_back(TapsOf(part(axes - 1 - d), shape_.data[static_cast<size_t>(d) + 2]));
      int64_t tap = 0;
      ForTaps(taps, {}, nullptr, [&](const Vals& pixel, Value* weight) { StoreTap(tap++, i, pixel, weight); });
    });
  }

  // Every combination of the axes' taps, the last axis innermost, with the product of its weights.
  void ForTaps(const std::vector<GridTaps>& taps, const Vals& pixel, Value* weight,
               const std::function<void(const Vals& pixel, Value* weight)>& body) {
    if (pixel.size() == taps.size()) return body(pixel, weight);
    const GridTaps& own = taps[pixel.size()];
    for (size_t i = 0; i < own.pixels.size(); ++i) {
      Vals longer = pixel;
      longer.push_back(own.pixels[i]);
      ForTaps(taps, longer, weight == nullptr ? own.weights[i] : b_.FMul(weight, own.weights[i]), body);
    }
  }

  void StoreTap(int64_t tap, Value* i, const Vals& pixel, Value* weight) {
    auto& ir = b_.ir();
    llvm::Type* whole = weight->getType()->getWithNewType(b_.i32());
    Value *offset = nullptr, *inside = nullptr;
    for (size_t d = 0; d < pixel.size(); ++d) {
      const int64_t extent = shape_.data[d + 2];
      Value* at = ir.CreateFPToSI(Held(pixel[d], extent), whole);
      Value* rows = offset == nullptr
                        ? nullptr
                        : ir.CreateMul(offset, llvm::ConstantInt::get(whole, static_cast<uint64_t>(extent)));
      offset = rows == nullptr ? at : ir.CreateAdd(rows, at);
      Value* has = Has(pixel[d], extent);
      inside = inside == nullptr ? has : ir.CreateAnd(inside, has);
    }
    b_.Store(offset, Entry(offsets_, tap, i));
    b_.Store(weight, Entry(weights_, tap, i));
    if (shape_.zeros()) b_.Store(ir.CreateSExt(inside, whole), Entry(inside_, tap, i));
  }

  GridTaps TapsOf(Value* x, int64_t extent) {
    auto& ir = b_.ir();
    Value* at = PositionOf(x, extent);
    if (shape_.method == "nearest_neighbor") {
      return {{Padded(ir.CreateUnaryIntrinsic(llvm::Intrinsic::nearbyint, at), extent)}, {Constant(1, at)}};
    }
    if (shape_.method == "bicubic") return CubicTapsOf(HalfPadded(at, extent), extent);
    at = Padded(at, extent);
    Value* low = ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, at);
    Value* share = b_.FSub(at, low);
    return {{low, b_.FAdd(low, Constant(1, low))}, {b_.FSub(Constant(1, share), share), share}};
  }

  // Keys's cubic for a = -3/4: pixels within a distance of 1, and those within 2.
  GridTaps CubicTapsOf(Value* at, int64_t extent) {
    constexpr float a = -0.75F;
    Value* low = b_.ir().CreateUnaryIntrinsic(llvm::Intrinsic::floor, at);
    Value* share = b_.FSub(at, low);
    const auto c = [&](float value) { return Constant(value, at); };
    const auto near = [&](Value* d) {
      Value* slope = b_.FSub(b_.FMul(d, c(a + 2)), c(a + 3));
      return b_.FAdd(b_.FMul(b_.FMul(slope, d), d), c(1));
    };
    const auto far = [&](Value* d) {
      Value* square = b_.FAdd(b_.FMul(b_.FSub(b_.FMul(d, c(a)), c(5 * a)), d), c(8 * a));
      return b_.FSub(b_.FMul(square, d), c(4 * a));
    };
    Value* rest = b_.FSub(c(1), share);
    GridTaps taps{{}, {far(b_.FAdd(share, c(1))), near(share), near(rest), far(b_.FAdd(rest, c(1)))}};
    for (int i = -1; i <= 2; ++i) taps.pixels.push_back(Padded(b_.FAdd(low, c(static_cast<float>(i))), extent));
    return taps;
  }

  // Equals the reference's GridAxis (compiler/ops/resample/op.cc), operation by operation.
  Value* PositionOf(Value* x, int64_t extent) {
    const auto n = static_cast<float>(extent);
    const auto c = [&](float value) { return Constant(value, x); };
    Value* from_first = b_.FAdd(x, c(1));
    return shape_.corners ? b_.FMul(b_.FMul(from_first, c(0.5F)), c(n - 1))
                          : b_.FMul(b_.FSub(b_.FMul(from_first, c(n)), c(1)), c(0.5F));
  }
  Value* Padded(Value* at, int64_t extent) {
    if (shape_.padding == "border") return Held(at, extent);
    return shape_.padding == "reflection" ? Held(Mirrored(at, extent), extent) : at;
  }
  Value* HalfPadded(Value* at, int64_t extent) {
    if (shape_.padding == "reflection") return Mirrored(at, extent);
    if (shape_.padding == "zeros") return at;
    const float beyond = shape_.corners ? 0.0F : 0.5F;
    Value* is_far = b_.ir().CreateOr(b_.ir().CreateFCmpOLT(at, Constant(-beyond, at)),
                                     b_.ir().CreateFCmpOGT(at, Constant(static_cast<float>(extent - 1) + beyond, at)));
    return b_.ir().CreateSelect(is_far, Held(at, extent), at);
  }

  Value* Held(Value* at, int64_t extent) {
    return b_.FMin(b_.FMax(Constant(0, at), at), Constant(static_cast<float>(extent - 1), at));
  }
  Value* Has(Value* at, int64_t extent) {
    return b_.ir().CreateAnd(b_.ir().CreateFCmpOGE(at, Constant(0, at)),
                             b_.ir().CreateFCmpOLE(at, Constant(static_cast<float>(extent - 1), at)));
  }

  Value* Mirrored(Value* at, int64_t extent) {
    const float low = shape_.corners ? 0.0F : -0.5F,
                twice = 2 * static_cast<float>(shape_.corners ? extent - 1 : extent);
    const auto c = [&](float value) { return Constant(value, at); };
    if (twice == 0) return c(0);
    Value* distance = b_.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b_.FSub(at, c(low)));
    Value* rounds = b_.ir().CreateUnaryIntrinsic(llvm::Intrinsic::floor, b_.FDiv(distance, c(twice)));
    Value* folded = b_.FSub(distance, b_.FMul(rounds, c(twice)));
    return b_.FAdd(b_.FMin(folded, b_.FSub(c(twice), folded)), c(low));
  }

  void EmitPlane(Value* plane, Value* result, Value* count) {
    ForVectors(count, [&](Value* i, int lanes) {
      Value* sum = nullptr;
      for (int64_t tap = 0; tap < shape_.taps(); ++tap) {
        Value* pixel = Pixels(plane, tap, i, lanes);
        if (shape_.zeros()) {
          Value* mask = LoadElements(b_, DType::kInt32, Entry(inside_, tap, i), lanes);
          Value* inside = b_.ir().CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
          pixel = b_.ir().CreateSelect(inside, pixel, Constant(0, pixel));
        }
        Value* weight = b_.Load(Entry(weights_, tap, i), lanes);
        sum = sum == nullptr ? b_.FMul(weight, pixel) : b_.Fma(weight, pixel, sum);
      }
      b_.Store(sum, b_.At(result, b_.Mul(i, kGridWordBytes)));
    });
  }

  Value* Pixels(Value* plane, int64_t tap, Value* i, int lanes) {
    const auto pixel = [&](int64_t lane) {
      Value* offset = b_.LoadAs(b_.i32(), Entry(offsets_, tap, b_.Add(i, lane)));
      return b_.Load(b_.At(plane, b_.Mul(b_.ir().CreateSExt(offset, b_.i64()), kGridWordBytes)));
    };
    if (lanes == 1) return pixel(0);
    if (GathersPay(b_, b_.f32(), lanes)) {
      Value* offsets = LoadElements(b_, DType::kInt32, Entry(offsets_, tap, i), lanes);
      return GatherElements(b_, b_.f32(), plane, offsets, lanes);
    }
    Value* all = llvm::PoisonValue::get(b_.VecType(lanes));
    for (int lane = 0; lane < lanes; ++lane) {
      all = b_.ir().CreateInsertElement(all, pixel(lane), static_cast<uint64_t>(lane));
    }
    return all;
  }

  KernelBuilder& b_;
  const GridShape& shape_;
  const int lanes_;
  Value *offsets_ = nullptr, *weights_ = nullptr, *inside_ = nullptr;
};

EmittedKernel EmitGridSample(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const GridShape shape(*WholeCallOf(function));
  GridKernel kernel(builder, shape);
  // The pixels around a position must not depend on which products are fused with a sum.
  const llvm::IRBuilderBase::FastMathFlagGuard restores(builder.ir());
  builder.ir().clearFastMathFlags();
  builder.Stage(symbol, [&](const StageArgs& args) {
    kernel.Emit(args, builder.Operand(args, ParameterOf(function, 0)), builder.Operand(args, ParameterOf(function, 1)),
                builder.Operand(args, static_cast<int>(function.params.size())));
  });
  return {{{symbol, shape.items(), 1, kernel.workspace_bytes()}}, 0};
}

}  // namespace

EmitterTable GridSampleEmitters() { return {{"image.grid_sample", EmitGridSample}}; }

}  // namespace hone
