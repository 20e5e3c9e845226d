#include "compiler/ops/softmax/kernel.h"

#include <algorithm>

#include "compiler/codegen/math/math.h"
#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/relay/op.h"

namespace hone {
namespace {

size_t SoftmaxAxis(const relay::Call& softmax) {
  const int64_t axis = softmax.attrs.GetInt("axis", -1);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(softmax.type->shape.size()) : axis);
}

bool IsLog(const relay::Call& softmax) { return relay::AsOp(softmax.op)->def->name == "nn.log_softmax"; }

// The lines that start at one position: one, or one per lane across the axis.
class SoftmaxLine {
 public:
  SoftmaxLine(Evaluator& e, const PieceOutput& output, const relay::Call& softmax, Coordinates at, Lanes lanes)
      : e_(e),
        b_(e.b()),
        output_(output),
        softmax_(softmax),
        at_(std::move(at)),
        lanes_(lanes),
        axis_(SoftmaxAxis(softmax)) {}

  void Emit() {
    // Ignores NaN, because a NaN on the line reaches every element through the sum.
    Value* largest = Run(FoldKind::kMaxOfNumbers, [&](Value* most, const Coordinate& k, Lanes lanes) {
      return FoldPair(b_, FoldKind::kMaxOfNumbers, most, Data(k, lanes));
    });
    Value* sum = Run(FoldKind::kSum, [&](Value* part, const Coordinate& k, Lanes lanes) {
      Value* exponential = EmitExpOfNegative(b_, b_.FSub(Data(k, lanes), Wide(largest, lanes)));
      if (!IsLog(softmax_)) StoreOperand(b_, Operand(), Point(k), lanes, exponential);
      return b_.FAdd(part, exponential);
    });
    Value* log_sum = IsLog(softmax_) ? EmitLog(b_, sum) : nullptr;
    // The sum is at least exp(0), so that its inverse is a normal number.
    Value* inverse = log_sum ? nullptr : b_.FDiv(Ones(sum), sum);
    ForAxis([&](const Coordinate& k, Lanes lanes) {
      Value* value = log_sum ? b_.FSub(b_.FSub(Data(k, lanes), Wide(largest, lanes)), Wide(log_sum, lanes))
                             : b_.FMul(LoadOperand(b_, Operand(), Point(k), lanes), Wide(inverse, lanes));
      e_.SetKnown(&softmax_, value);
      StoreOperand(b_, Operand(), Point(k), lanes, e_.Eval(output_.expr, Point(k), lanes));
      e_.ClearKnown();
    });
  }

 private:
  bool along() const { return axis_ == output_.shape.lane_axis; }
  const OperandAccess& Operand() const { return e_.Operand(output_.operand); }
  Coordinates Point(const Coordinate& k) const {
    Coordinates at = at_;
    at[axis_] = k;
    return at;
  }
  Value* Data(const Coordinate& k, Lanes lanes) { return e_.Eval(softmax_.args[0], Point(k), lanes); }
  Value* Ones(Value* like) const { return llvm::ConstantFP::get(like->getType(), 1); }
  // Extends a value per line to one per lane.
  Value* Wide(Value* value, Lanes lanes) { return along() ? b_.Splat(value, lanes.count) : value; }
  int64_t extent() const { return softmax_.type->shape[axis_]; }

  Value* Run(FoldKind kind, const std::function<Value*(Value*, const Coordinate&, Lanes)>& step) {
    const Fold fold{.kind = kind, .element = b_.f32(), .step = step, .once = true};
    return along() ? FoldAlong(b_, fold, extent()) : FoldAcross(b_, fold, extent(), lanes_);
  }
  void ForAxis(const std::function<void(const Coordinate&, Lanes)>& body) {
    if (!along()) {
      b_.For(0, extent(), 1, [&](Value* k) { body(At(k), lanes_); });
      return;
    }
    const int lanes = static_cast<int>(std::min<int64_t>(extent(), b_.lanes()));
    ForLanes(b_, 0, extent(), lanes, [&](Value* k, Lanes l) { body({k, l.count > 1 ? 1 : 0}, l); });
  }

  Evaluator& e_;
  KernelBuilder& b_;
  const PieceOutput& output_;
  const relay::Call& softmax_;
  Coordinates at_;
  Lanes lanes_;
  size_t axis_;
};

size_t SkippedAxis(const relay::Call& softmax, const PieceOutput& output) {
  return SoftmaxAxis(softmax) == output.shape.lane_axis ? output.shape.axes.size() : SoftmaxAxis(softmax);
}

// Evaluates each element separately; only for a softmax that is not a kernel of its own.
template <bool kLog>
Value* SoftmaxOfElement(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const relay::ExprPtr& data = call.args[0];
  const Shape& shape = TensorTypeOf(data).shape;
  const int64_t axis = call.attrs.GetInt("axis", -1);
  const auto where = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
  const auto term = [&](const Coordinate& k, Lanes l) {
    Coordinates here = at;
    here[where] = k;
    Value* value = e.Eval(data, here, l);
    return value;
  };
  const Fold largest{FoldKind::kMax, b.f32(), [&](Value* sum, const Coordinate& k, Lanes l) {
                       return FoldPair(b, FoldKind::kMax, sum, term(k, l));
                     }};
  Value* max = FoldAcross(b, largest, shape[where], lanes);
  const Fold sums{FoldKind::kSum, b.f32(), [&](Value* sum, const Coordinate& k, Lanes l) {
                    return b.FAdd(sum, EmitExp(b, b.FSub(term(k, l), max)));
                  }};
  Value* sum = FoldAcross(b, sums, shape[where], lanes);
  Value* shifted = b.FSub(e.Eval(data, at, lanes), max);
  return kLog ? b.FSub(shifted, EmitLog(b, sum)) : b.FDiv(EmitExp(b, shifted), sum);
}

}  // namespace

const relay::Call* SoftmaxOf(const PieceOutput& output) {
  const relay::ExprPtr& expr = output.expr;
  if (!relay::IsFloatTensor(expr->type) || !expr->type->layout.empty()) return nullptr;
  const relay::Call* call = RootCall(expr, [](const relay::Call& c) {
    const std::string& name = relay::AsOp(c.op)->def->name;
    return name == "nn.softmax" || name == "nn.log_softmax";
  });
  return call && relay::IsFloatTensor(call->type) && call->type->layout.empty() ? call : nullptr;
}

std::vector<StageAxis> SoftmaxItems(const Piece& whole, const PieceOutput& output) {
  const relay::Call* softmax = SoftmaxOf(output);
  std::vector<StageAxis> axes;
  for (size_t i = 0; i < std::min(output.shape.lane_axis, output.shape.axes.size()); ++i) {
    if (i != SkippedAxis(*softmax, output)) axes.push_back(ItemAxisAlong(whole, output.shape, i));
  }
  return axes;
}

void EmitSoftmax(Evaluator& e, const Piece& whole, const PieceOutput& output, Value* begin, Value* end) {
  KernelBuilder& b = e.b();
  const relay::Call* softmax = SoftmaxOf(output);
  const size_t lane_axis = output.shape.lane_axis, rank = output.shape.axes.size();
  b.For(begin, end, 1, [&](Value* item) {
    e.Reset();
    BoxPoint point{ItemPosition(b, whole, std::min(lane_axis, rank), SkippedAxis(*softmax, output), item), kScalar};
    if (lane_axis >= rank || SoftmaxAxis(*softmax) == lane_axis) {
      SoftmaxLine(e, output, *softmax, CoordinatesAt(b, output.shape, point), kScalar).Emit();
      return;
    }
    ForLanes(b, 0, whole.high[lane_axis], whole.lanes, [&](Value* position, Lanes lanes) {
      point.at[lane_axis] = position;
      point.lanes = lanes;
      SoftmaxLine(e, output, *softmax, CoordinatesAt(b, output.shape, point), lanes).Emit();
    });
  });
}

EmitterTable SoftmaxEmitters() {
  return {{"nn.softmax", SoftmaxOfElement<false>}, {"nn.log_softmax", SoftmaxOfElement<true>}};
}

}  // namespace hone
