#include "compiler/ops/normalise/kernel_lines.h"

#include <algorithm>

#include "compiler/generic/evaluator.h"
#include "compiler/generic/joined_axes.h"
#include "compiler/ops/op_calls.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {
namespace {

using relay::ExprPtr;

bool IsPointwise(const relay::Call& call) {
  const relay::OpPattern pattern = relay::AsOp(call.op)->def->pattern;
  return pattern == relay::OpPattern::kElementwise || pattern == relay::OpPattern::kBroadcast;
}

bool IsStatistic(const relay::Call& call, const Shape& result) {
  return relay::IsKeptReduction(call) && call.args[0]->type->shape == result;
}

// The operator calls within, arguments before their users. Empty if there is anything other than such calls, parameters
// and constants.
std::vector<ExprPtr> Inner(const ExprPtr& body) {
  std::vector<ExprPtr> calls;
  bool known = true;
  relay::PostOrderVisit(body, [&](const ExprPtr& expr) {
    const relay::Call* call = relay::AsCall(expr);
    known = known && expr->kind != relay::ExprKind::kTuple && expr->kind != relay::ExprKind::kTupleGetItem &&
            (call == nullptr || relay::AsOp(call->op) != nullptr);
    if (call != nullptr) calls.push_back(expr);
  });
  return known ? calls : std::vector<ExprPtr>();
}

// Whether a line runs across blocks.
bool IsBlocked(const PieceOutput& output, const Shape& line) {
  return std::any_of(output.shape.axes.begin(), output.shape.axes.end(), [&](const MemoryShape::Axis& axis) {
    return axis.outer_block > 0 && line[axis.logical] != output.expr->type->shape[axis.logical];
  });
}

// The piece with one position along the axes of a line.
Piece LineStarts(Piece piece, const PieceOutput& output, const LineStatistics& statistics) {
  for (size_t i = 0; i < piece.low.size(); ++i) {
    if (statistics.IsAlong(output.shape.axes[i].logical, output.expr->type->shape)) piece.high[i] = piece.low[i] + 1;
  }
  return piece;
}

class StatisticsLine {
 public:
  StatisticsLine(Evaluator& e, const PieceOutput& output, const LineStatistics& statistics)
      : e_(e), b_(e.b()), output_(output), statistics_(statistics) {}

  // Emits the line, or the lanes' lines, through the point.
  void Emit(const Piece& piece, const BoxPoint& start) {
    const Coordinates at = CoordinatesAt(b_, output_.shape, start);
    for (const ExprPtr& value : statistics_.values) e_.SetKnown(value.get(), e_.Eval(value, at, start.lanes));
    Rest(piece, start, 0);
    e_.ClearKnown();
  }

 private:
  const Shape& shape() const { return output_.expr->type->shape; }
  bool IsAlong(size_t axis) const { return statistics_.IsAlong(output_.shape.axes[axis].logical, shape()); }

  void Store(const BoxPoint& point) {
    const Coordinates at = CoordinatesAt(b_, output_.shape, point);
    StoreOperand(b_, e_.Operand(output_.operand), at, point.lanes, e_.Eval(output_.expr, at, point.lanes));
  }

  // The first of the axes up to the lanes' axis along which a vector may run as if they were one. It excludes the batch
  // axis if the result's images are not contiguous.
  size_t FirstOfRun() const {
    const OperandAccess& result = e_.Operand(output_.operand);
    const size_t last = output_.shape.lane_axis, least = result.batch_stride != nullptr ? 1 : 0;
    size_t first = last;
    if (!result.layout.empty()) return first;
    while (first > least && IsAlong(first - 1) && IsOneAxis(e_, output_.expr, shape(), first - 1, last)) --first;
    return first;
  }

  // All positions along the line's axes from `axis` on.
  void Rest(const Piece& piece, const BoxPoint& point, size_t axis) {
    const size_t rank = output_.shape.axes.size(), lane_axis = output_.shape.lane_axis;
    while (axis < rank && !IsAlong(axis)) ++axis;
    if (axis == rank) return Store(point);
    if (lane_axis < rank && IsAlong(lane_axis) && axis >= FirstOfRun()) return Vectors(piece, point);
    b_.For(piece.low[axis], piece.high[axis], 1, [&](Value* position) {
      BoxPoint next = point;
      next.at[axis] = position;
      Rest(piece, next, axis + 1);
    });
  }

  void Vectors(const Piece& piece, const BoxPoint& point) {
    const size_t lane_axis = output_.shape.lane_axis;
    int64_t extent = 1;
    for (size_t i = FirstOfRun(); i <= lane_axis; ++i) extent *= piece.high[i];
    ForLanes(b_, 0, extent, piece.lanes, [&](Value* position, Lanes lanes) {
      BoxPoint next = point;
      next.at[lane_axis] = position;
      next.lanes = lanes;
      Store(next);
    });
  }

  Evaluator& e_;
  KernelBuilder& b_;
  const PieceOutput& output_;
  const LineStatistics& statistics_;
};

}  // namespace

std::optional<LineStatistics> LineStatisticsOf(const PieceOutput& output) {
  const Shape& result = output.expr->type->shape;
  const std::vector<ExprPtr> all = Inner(output.expr);
  const auto reduces = [&](const ExprPtr& expr) { return IsStatistic(*relay::AsCall(expr), result); };
  const auto first = std::find_if(all.begin(), all.end(), reduces);
  if (first == all.end() || IsBlocked(output, (*first)->type->shape)) return std::nullopt;
  LineStatistics found{(*first)->type->shape, {}};
  for (const ExprPtr& expr : all) {
    const bool is_value = expr->type->shape == found.shape && relay::IsFloatTensor(expr->type);
    if (!(reduces(expr) ? is_value : IsPointwise(*relay::AsCall(expr)) && (is_value || expr->type->shape == result))) {
      return std::nullopt;
    }
    if (is_value) found.values.push_back(expr);
  }
  return found;
}

std::vector<StageAxis> LineItems(const Piece& piece, const PieceOutput& output, const LineStatistics& statistics) {
  const Piece starts = LineStarts(piece, output, statistics);
  std::vector<StageAxis> axes;
  for (size_t i = 0; i < std::min(output.shape.lane_axis, starts.low.size()); ++i) {
    axes.push_back(ItemAxisAlong(starts, output.shape, i));
  }
  return axes;
}

void EmitLines(Evaluator& e, const Piece& piece, const PieceOutput& output, const LineStatistics& statistics,
               Value* begin, Value* end) {
  KernelBuilder& b = e.b();
  const Piece starts = LineStarts(piece, output, statistics);
  const size_t rank = starts.low.size(), lane_axis = std::min(output.shape.lane_axis, rank);
  const bool beside =
      lane_axis < rank && !statistics.IsAlong(output.shape.axes[lane_axis].logical, output.expr->type->shape);
  b.For(begin, end, 1, [&](Value* item) {
    e.Reset();
    BoxPoint point{ItemPosition(b, starts, lane_axis, rank, item), kScalar};
    StatisticsLine line(e, output, statistics);
    if (!beside) return line.Emit(piece, point);
    if (output.shape.lanes_in_block()) {
      point.lanes = {piece.lanes, piece.valid > 0 ? piece.valid : piece.lanes};
      return line.Emit(piece, point);
    }
    ForLanes(b, piece.low[lane_axis], piece.high[lane_axis], piece.lanes, [&](Value* position, Lanes lanes) {
      point.at[lane_axis] = position;
      point.lanes = lanes;
      line.Emit(piece, point);
    });
  });
}

}  // namespace hone
