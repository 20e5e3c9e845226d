#include "compiler/generic/piece.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>

#include "compiler/generic/evaluator.h"
#include "compiler/generic/joined_axes.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/generic/window.h"
#include "compiler/relay/op.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

using relay::ExprPtr;

bool IsNamed(const relay::Call& call, std::string_view name) { return relay::AsOp(call.op)->def->name == name; }

// Whether the attribute, a number or a list, includes the last of `rank` axes. Without an attribute all axes are
// included.
bool NamesLastAxis(const relay::AttrValue* axis, int64_t rank) {
  const auto* one = axis ? std::get_if<int64_t>(axis) : nullptr;
  const auto* list = axis ? std::get_if<std::vector<int64_t>>(axis) : nullptr;
  const auto last = [rank](int64_t a) { return a == rank - 1 || a == -1; };
  if (one != nullptr) return last(*one);
  return list == nullptr || list->empty() || std::any_of(list->begin(), list->end(), last);
}

// Whether the call folds the last axis of row-major data. Lanes then run along that axis instead of the output's.
bool FoldsLastAxis(const relay::Call& call) {
  const relay::Folds folds = relay::AsOp(call.op)->def->traits.folds;
  if (folds == relay::Folds::kNothing || folds == relay::Folds::kProducts) return folds == relay::Folds::kProducts;
  if (call.args.empty() || !call.args[0]->type || call.args[0]->type->kind != relay::TypeKind::kTensor) return false;
  const relay::Type& data = *call.args[0]->type;
  if (!data.layout.empty()) return false;
  return folds == relay::Folds::kImage ||
         NamesLastAxis(call.attrs.Find("axis"), static_cast<int64_t>(data.shape.size()));
}

// Cuts every piece along one axis at the given positions; `mark` gets each part with the number of its interval.
using Mark = std::function<void(Piece&, size_t interval)>;
std::vector<Piece> Cut(const std::vector<Piece>& pieces, size_t axis, const std::vector<int64_t>& at,
                       const Mark& mark) {
  std::vector<Piece> result;
  for (const Piece& piece : pieces) {
    for (size_t i = 0; i <= at.size(); ++i) {
      Piece part = piece;
      part.low[axis] = std::max(piece.low[axis], i == 0 ? piece.low[axis] : at[i - 1]);
      part.high[axis] = std::min(piece.high[axis], i == at.size() ? piece.high[axis] : at[i]);
      if (part.low[axis] >= part.high[axis]) continue;
      mark(part, i);
      result.push_back(part);
    }
  }
  return result;
}

size_t OuterAxisOf(const MemoryShape& shape, size_t logical) {
  for (size_t i = 0; i < shape.axes.size(); ++i) {
    if (shape.axes[i].logical == logical && shape.axes[i].block == 0) return i;
  }
  return shape.axes.size();
}

std::vector<Piece> CutFields(const std::vector<Piece>& whole, const ExprPtr& output, const MemoryShape& shape) {
  const relay::Call* concat = RootCall(output, [](const relay::Call& call) { return IsNamed(call, "concatenate"); });
  if (!concat) return whole;
  const int64_t rank = static_cast<int64_t>(concat->type->shape.size());
  const auto axis = static_cast<size_t>((concat->attrs.GetInt("axis") + rank) % rank);
  const size_t outer = OuterAxisOf(shape, axis);
  const int64_t block = std::max<int64_t>(1, shape.axes[outer].outer_block);
  std::vector<int64_t> cuts;
  int64_t at = 0;
  for (const auto& field : FlatArgs(*concat)) {
    // Boxes cannot separate lanes of one block that come from two fields.
    if (at % block != 0) return whole;
    cuts.push_back(at / block);
    at += field->type->shape[axis];
  }
  cuts.erase(cuts.begin());
  return Cut(whole, outer, cuts,
             [&](Piece& piece, size_t i) { piece.fields.emplace_back(concat, static_cast<int>(i)); });
}

int64_t PowerAtLeast(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

bool HasInside(const WindowAxis& axis) { return axis.first_inside() < axis.last_inside(); }

// The first `a` positions and the last ones from `b` on are emitted without a loop and hold the borders. Whole vectors
// in between lie inside. For a short row, `b` is 0 and the whole row is emitted without a loop. nullopt if too many
// vectors would be unrolled.
//
//    | border . | inside . . . . | inside . | . border |
//    0          a                           b          out
std::optional<std::pair<int64_t, int64_t>> ColumnsInLine(const WindowAxis& axis, int64_t lanes) {
  constexpr int64_t kMostInLine = 64;
  if (axis.always_inside()) return std::pair<int64_t, int64_t>{0, axis.out};
  if (axis.size > kMostInLine) return std::nullopt;
  const int64_t a = CeilDiv(axis.first_inside(), lanes) * lanes, room = axis.last_inside() - a;
  const int64_t b = a + room / lanes * lanes;
  if (HasInside(axis) && room >= lanes && std::max(a, axis.out - b) <= kMostInLine) return std::pair{a, b};
  if (axis.out <= kMostInLine) return std::pair<int64_t, int64_t>{axis.out, 0};
  return std::nullopt;
}

// As many lanes as possible, as long as a vector of data is not longer than a row of it. With masks it may be.
int LanesInLine(const Piece& piece, size_t columns, const WindowAxis& axis, const MachineModel& machine) {
  constexpr int64_t kLeast = 4;
  const int64_t lanes = machine.vector_lanes, row = piece.high[columns] - piece.low[columns];
  int64_t most = row > lanes ? 2 * lanes : lanes;
  if (HasMaskedAccess(machine)) return static_cast<int>(std::clamp(PowerAtLeast(row), kLeast, most));
  while (most > kLeast && (most - 1) * axis.stride >= axis.in) most /= 2;
  return static_cast<int>(most);
}

// Cuts a pool whose lanes run along the width.
std::vector<Piece> CutPool(const std::vector<Piece>& whole, const std::array<WindowAxis, 2>& axes,
                           const MemoryShape& shape, const MachineModel& machine, std::pair<int64_t, int64_t> in_line) {
  const auto [a, b] = in_line;
  const size_t rows = OuterAxisOf(shape, 2), columns = shape.lane_axis;
  const std::vector<int64_t> at = b == 0 ? std::vector<int64_t>{a} : std::vector<int64_t>{a, b};
  const auto parts = Cut(whole, columns, at, [&](Piece& piece, size_t i) {
    piece.columns_inside = i == 1;
    piece.in_line = i != 1;
    if (piece.in_line) piece.lanes = LanesInLine(piece, columns, axes[1], machine);
  });
  if (!HasInside(axes[0])) return parts;
  return Cut(parts, rows, {axes[0].first_inside(), axes[0].last_inside()},
             [&](Piece& piece, size_t i) { piece.interior = i == 1 && piece.columns_inside; });
}

std::vector<Piece> CutBorders(const std::vector<Piece>& whole, const ExprPtr& output, const MemoryShape& shape,
                              const MachineModel& machine) {
  const relay::Call* call = RootCall(output, [](const relay::Call& c) { return WindowOf(c).has_value(); });
  if (!call) return whole;
  const auto axes = *WindowOf(*call);
  const int64_t lanes = machine.vector_lanes;
  const bool along =
      !shape.lanes_in_block() && shape.lane_axis < shape.axes.size() && shape.axes[shape.lane_axis].logical == 3;
  const auto in_line = ColumnsInLine(axes[1], lanes);
  if (along && lanes > 1 && in_line && !IsNamed(*call, "nn.conv2d")) {
    return CutPool(whole, axes, shape, machine, *in_line);
  }
  if (!HasInside(axes[0]) || !HasInside(axes[1])) return whole;
  const auto bounds = [&](size_t i) { return std::vector<int64_t>{axes[i].first_inside(), axes[i].last_inside()}; };
  const auto rows =
      Cut(whole, OuterAxisOf(shape, 2), bounds(0), [](Piece& piece, size_t i) { piece.interior = i == 1; });
  std::vector<Piece> result;
  for (const Piece& row : rows) {
    if (!row.interior) {
      result.push_back(row);
      continue;
    }
    const auto parts = Cut({row}, OuterAxisOf(shape, 3), bounds(1), [](Piece& p, size_t i) { p.interior = i == 1; });
    result.insert(result.end(), parts.begin(), parts.end());
  }
  return result;
}

// Cuts around the data of a padded tensor, which the kernel then only moves.
std::vector<Piece> CutPadding(const std::vector<Piece>& whole, const ExprPtr& output, const MemoryShape& shape) {
  const relay::Call* pad = RootCall(output, [](const relay::Call& call) { return IsNamed(call, "nn.pad"); });
  if (pad == nullptr) return whole;
  const std::vector<int64_t> width = pad->attrs.GetInts("pad_width");
  std::vector<Piece> inner = whole, border;
  for (size_t d = 0; d < pad->type->shape.size(); ++d) {
    if (width[2 * d] == 0 && width[2 * d + 1] == 0) continue;
    const size_t axis = OuterAxisOf(shape, d);
    if (axis == shape.axes.size() || shape.axes[axis].outer_block > 0) return whole;
    std::vector<Piece> inside;
    Cut(inner, axis, {width[2 * d], pad->type->shape[d] - width[2 * d + 1]},
        [&](Piece& piece, size_t i) { (i == 1 ? inside : border).push_back(piece); });
    inner = std::move(inside);
  }
  for (Piece& piece : inner) piece.padded = pad;
  inner.insert(inner.end(), border.begin(), border.end());
  return inner;
}

// Makes each block of selected channels a piece, so that the code knows which channels a vector gathers.
std::vector<Piece> CutSelection(const std::vector<Piece>& pieces, const ExprPtr& output, const MemoryShape& shape) {
  constexpr int64_t kMostBlocks = 256;
  if (!shape.lanes_in_block()) return pieces;
  const size_t axis = shape.axes[shape.lane_axis].logical, outer = OuterAxisOf(shape, axis);
  const int64_t blocks = shape.axes[outer].extent;
  const relay::Call* take = RootCall(output, [&](const relay::Call& call) {
    return IsNamed(call, "take") && relay::AsConstant(call.args[1]) && call.attrs.GetInt("axis") == int64_t(axis);
  });
  if (take == nullptr || blocks > kMostBlocks) return pieces;
  std::vector<int64_t> cuts(static_cast<size_t>(blocks - 1));
  std::iota(cuts.begin(), cuts.end(), 1);
  return Cut(pieces, outer, cuts, [](Piece&, size_t) {});
}

std::vector<Piece> CutLastBlock(const std::vector<Piece>& pieces, const OperandAccess& operand,
                                const MemoryShape& shape) {
  if (!shape.lanes_in_block()) return pieces;
  const auto& lane = shape.axes[shape.lane_axis];
  const int64_t extent = operand.shape[lane.logical], rest = extent % lane.block;
  if (rest == 0) return pieces;
  return Cut(pieces, OuterAxisOf(shape, lane.logical), {extent / lane.block},
             [&](Piece& piece, size_t i) { piece.valid = i == 1 ? static_cast<int>(rest) : 0; });
}

// Joins dense rows computed from dense operands into one long row, as far as the box is whole along inner axes. Runs
// must compute all of these.
void JoinAxes(Evaluator& e, const ExprPtr& output, const OperandAccess& operand, const MemoryShape& memory,
              Piece& piece) {
  const size_t last = memory.lane_axis;
  if (last >= piece.low.size() || !operand.layout.empty()) return;
  const Shape& shape = output->type->shape;
  const size_t least = operand.batch_stride != nullptr ? 1 : 0;
  e.Enter(piece);
  size_t first = last;
  const auto is_whole = [&](size_t axis) {
    return piece.low[axis] == 0 && piece.high[axis] == shape[axis] && !memory.axes[axis].ends;
  };
  while (first > least && is_whole(first) && IsOneAxis(e, output, shape, first - 1, last)) --first;
  int64_t inner = 1;
  for (size_t axis = first + 1; axis <= last; ++axis) inner *= shape[axis];
  if (first < last) {
    piece.low[last] = piece.low[first] * inner;
    piece.high[last] = piece.high[first] * inner;
  }
  for (size_t axis = first; axis < last; ++axis) {
    piece.low[axis] = 0;
    piece.high[axis] = 1;
  }
  e.Reset();
}

// Number of float32 vectors that are computed together. Two hide each other's latencies, and four make a whole vector
// of bytes.
int64_t VectorsOf(const ExprPtr& output) { return DTypeBytes(output->type->dtype) == 1 ? 4 : 2; }

// Shorter rows take no vector.
constexpr int64_t kLeastMasked = 4;

int PieceLanes(const Piece& piece, const MemoryShape& shape, const MachineModel& machine, bool one, int64_t vectors) {
  if (shape.lane_axis >= shape.axes.size()) return 1;
  const auto& lane = shape.axes[shape.lane_axis];
  if (lane.block > 0) return static_cast<int>(lane.block);
  if (piece.in_line) return piece.lanes;
  const int64_t extent = piece.high[shape.lane_axis] - piece.low[shape.lane_axis];
  if (one) return 1;
  const int64_t lanes = machine.vector_lanes;
  while (vectors > 1 && extent < vectors * lanes) vectors /= 2;
  const int64_t row = HasMaskedAccess(machine) && extent >= kLeastMasked ? PowerAtLeast(extent) : extent;
  return static_cast<int>(std::min(row, vectors * lanes));
}

}  // namespace

const relay::Call* RootCall(const ExprPtr& output, const std::function<bool(const relay::Call&)>& wanted) {
  std::vector<ExprPtr> open{output};
  std::unordered_set<const relay::Expr*> seen;
  while (!open.empty()) {
    const ExprPtr expr = open.back();
    open.pop_back();
    const auto* call = relay::AsCall(expr);
    if (!call || !relay::AsOp(call->op) || !seen.insert(call).second) continue;
    if (call->type->shape != output->type->shape) continue;
    if (wanted(*call)) return call;
    const relay::OpPattern pattern = relay::AsOp(call->op)->def->pattern;
    const bool keeps = pattern == relay::OpPattern::kElementwise || pattern == relay::OpPattern::kBroadcast ||
                       relay::AsOp(call->op)->def->name == "layout_transform";
    if (keeps) open.insert(open.end(), call->args.begin(), call->args.end());
  }
  return nullptr;
}

std::vector<Piece> PiecesOf(Evaluator& e, const ExprPtr& output, int number, const MemoryShape& shape) {
  const OperandAccess& operand = e.Operand(number);
  const MachineModel& machine = e.b().machine();
  Piece whole;
  for (const auto& axis : shape.axes) {
    whole.low.push_back(0);
    whole.high.push_back(axis.extent);
  }
  auto pieces = CutFields({whole}, output, shape);
  pieces = CutBorders(pieces, output, shape, machine);
  pieces = CutPadding(pieces, output, shape);
  pieces = CutSelection(pieces, output, shape);
  pieces = CutLastBlock(pieces, operand, shape);
  for (Piece& piece : pieces) JoinAxes(e, output, operand, shape, piece);
  const bool scalar = RootCall(output, FoldsLastAxis) != nullptr;
  const bool windows = RootCall(output, [](const relay::Call& call) { return WindowOf(call).has_value(); }) != nullptr;
  const int64_t vectors = VectorsOf(output);
  // Lanes follow from the finished boxes, because a cut may have left an axis too short for a vector.
  for (Piece& piece : pieces) {
    const bool one = scalar || (windows && !piece.interior && !piece.columns_inside);
    piece.lanes = PieceLanes(piece, shape, machine, one, vectors);
    piece.heavy = scalar || windows;
  }
  return pieces;
}

}  // namespace hone
