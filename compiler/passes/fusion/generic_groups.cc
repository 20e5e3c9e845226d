#include <algorithm>
#include <unordered_set>
#include <vector>

#include "compiler/ops/op_calls.h"
#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/fusion/growth.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// A group of elementwise operators takes the statistics of lines that it reads, so that a normalisation is one kernel.
//
//    x -> mean -> subtract -> square -> mean -> add -> sqrt -> divide -> scale and shift
//    becomes one function, whose kernel reads each line of x while it is in the first cache

// Most rows of memory that a vector of lines may step over.
constexpr int64_t kMostLineRows = 256;
// Steps of whole pages map rows to the same set of the first cache.
constexpr int64_t kPageFloats = 1024, kMostPages = 32;
// Elements of a tensor that is not worth another thread.
constexpr int64_t kOfOneThread = 1 << 15;

bool IsStatistic(const Call& call, const Shape& result) {
  return relay::IsKeptReduction(call) && ShapeOf(call.args[0]) == result;
}

// The shape of a statistic that a member reads, perhaps through elementwise operators; empty when there is none.
Shape LineShape(const Growth& growth) {
  const Shape& result = ShapeOf(growth.members()[0]);
  std::vector<ExprPtr> open = growth.members();
  std::unordered_set<const relay::Expr*> seen;
  while (!open.empty()) {
    const ExprPtr expr = open.back();
    open.pop_back();
    for (const ExprPtr& arg : relay::AsCall(expr)->args) {
      const Call* call = relay::AsCall(arg);
      if (call == nullptr || !seen.insert(call).second || growth.Has(arg) || !IsFloatCall(arg)) continue;
      if (IsStatistic(*call, result)) return ShapeOf(arg);
      if (IsPointwise(arg) && ShapeOf(arg) != result) open.push_back(arg);
    }
  }
  return {};
}

// Whether elements of a line stay in the first cache from pass to pass, when neighbouring lines are interleaved in
// memory.
bool StayInCache(const Shape& line, const Shape& result) {
  size_t last = result.size();
  while (last > 0 && result[last - 1] == 1) --last;
  if (last == 0 || line[last - 1] != result[last - 1]) return true;
  size_t inner = last;
  while (inner > 0 && line[inner - 1] == result[inner - 1]) --inner;
  const int64_t step = ElementCount({result.begin() + static_cast<int64_t>(inner), result.end()});
  const int64_t rows = ElementCount(result) / ElementCount(line);
  return rows <= (step % kPageFloats == 0 ? kMostPages : kMostLineRows);
}

bool ArePointwise(const Growth& growth) {
  return std::all_of(growth.members().begin(), growth.members().end(), IsPointwise);
}

// The group is elementwise operators of one shape. It takes reductions over one set of axes, values computed from them,
// and cheap elementwise operators that they reduce (ops/normalise/kernel_lines.h). Returns false and leaves the group
// as it was if there is no such reduction. Too few lines for the threads have the same effect, and so do lines that
// would not stay in the first cache between passes.
bool TakeLines(Growth& growth, int64_t threads) {
  const Shape result = ShapeOf(growth.members()[0]), line = LineShape(growth);
  if (line.empty() || !ArePointwise(growth) || !StayInCache(line, result)) return false;
  if (ElementCount(line) < threads && ElementCount(result) > kOfOneThread) return false;
  Growth taken = growth;
  taken.TakeAllSizes([&](const ExprPtr& expr) {
    if (ShapeOf(expr) == result) return IsCheap(expr);
    if (ShapeOf(expr) != line || !IsFloatCall(expr)) return false;
    return IsPointwise(expr) || IsStatistic(*relay::AsCall(expr), result);
  });
  const bool any = std::any_of(taken.members().begin(), taken.members().end(),
                               [&](const ExprPtr& member) { return IsStatistic(*relay::AsCall(member), result); });
  for (size_t i = growth.members().size(); any && i < taken.members().size(); ++i) growth.Take(taken.members()[i]);
  return any;
}

// Whether it is a transpose that changes the last axis. That is faster alone, as squares in registers.
bool MovesLastAxis(const ExprPtr& expr) {
  const Call* transpose = relay::AsCallTo(expr, "transpose");
  return transpose != nullptr && TransposeAxes(*transpose).back() + 1 != static_cast<int64_t>(ShapeOf(expr).size());
}

// Whether it may begin a chain.
bool IsHead(const ExprPtr& expr) { return IsFloatCall(expr) && OperatorOf(expr).traits.heads && !MovesLastAxis(expr); }

// The argument that begins a chain. Null unless every member has at most one argument inside, on one path.
ExprPtr HeadOfChain(const Growth& growth) {
  ExprPtr last = growth.members()[0];
  for (size_t passed = 1;; ++passed) {
    // Elements before a take are not read in order.
    if (TakesKnownPlaces(last)) return nullptr;
    ExprPtr next, head;
    for (const ExprPtr& arg : relay::AsCall(last)->args) {
      if (growth.Has(arg)) {
        if (next != nullptr) return nullptr;
        next = arg;
      } else if (IsHead(arg) && growth.CanTake(arg)) {
        head = arg;
      }
    }
    if (next == nullptr) return passed == growth.members().size() ? head : nullptr;
    last = next;
  }
}

// Takes the decoding of the data that a head reads. It is a cast of bytes and the subtraction of a zero point, or a
// cast of a 16-bit float.
void TakeDecoding(Growth& growth) {
  const ExprPtr head = growth.members().back();
  if (!IsHead(head)) return;
  std::vector<ExprPtr> steps{relay::AsCall(head)->args[0]};
  if (const Call* subtract = relay::AsCallTo(steps[0], "subtract")) {
    if (relay::AsConstant(subtract->args[1]) == nullptr) return;
    steps.push_back(subtract->args[0]);
  }
  const Call* cast = relay::AsCallTo(steps.back(), "cast");
  if (cast == nullptr) return;
  const DType stored = cast->args[0]->type->dtype;
  if (stored != DType::kUInt8 && stored != DType::kFloat16 && stored != DType::kBFloat16) return;
  for (const ExprPtr& step : steps) {
    if (growth.grouping().Has(step) || growth.users().OnlyUser(step) == nullptr) return;
  }
  for (const ExprPtr& step : steps) growth.Take(step);
}

// The axis of a take at a known list of positions; -1 for any other expression.
int64_t AxisOfKnownPlaces(const ExprPtr& expr) {
  if (!TakesKnownPlaces(expr)) return -1;
  const Call& take = *relay::AsCall(expr);
  const auto rank = static_cast<int64_t>(ShapeOf(expr).size());
  const bool one_axis = relay::AsConstant(take.args[1])->value.shape().size() == 1;
  return one_axis ? (take.attrs.GetInt("axis") + rank) % rank : -1;
}

// A fold takes the negation that it reads: the minimum of a tensor is the maximum of its negation.
void TakeNegative(Growth& growth) {
  const ExprPtr head = growth.members().back();
  const relay::Folds folds = OperatorOf(head).traits.folds;
  if (!IsHead(head) || (folds != relay::Folds::kAxis && folds != relay::Folds::kImage)) return;
  const ExprPtr& read = relay::AsCall(head)->args[0];
  const bool negative = relay::AsCallTo(read, "negative") != nullptr && IsFloatCall(read);
  if (negative && !growth.grouping().Has(read) && growth.users().OnlyUser(read) != nullptr) growth.Take(read);
}

// A fold over axes takes the cheap operators behind its data, such as the squares of a norm. It reads each element
// once.
void TakeCheapTerms(Growth& growth) {
  const ExprPtr head = growth.members().back();
  if (!IsHead(head) || OperatorOf(head).traits.folds != relay::Folds::kAxis) return;
  const Shape data = ShapeOf(relay::AsCall(head)->args[0]);
  growth.TakeAllSizes([&](const ExprPtr& expr) {
    if (!IsFloatCall(expr) || ShapeOf(expr) != data) return false;
    return IsCheap(expr) || OperatorOf(expr).name == "abs" || OperatorOf(expr).name == "negative";
  });
}

// A sum of integers takes the products that it adds up: a product of integer matrices would hold all of them in memory.
void TakeProducts(Growth& growth) {
  const Call* sum = relay::AsCallTo(growth.members().back(), "sum");
  if (sum == nullptr || relay::AsCallTo(sum->args[0], "multiply") == nullptr) return;
  const ExprPtr& products = sum->args[0];
  const DType dtype = products->type->dtype;
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return;
  if (!growth.grouping().Has(products) && growth.users().OnlyUser(products) != nullptr) growth.Take(products);
}

// Takes known rows that only a take of known columns reads, so that only the wanted elements are read.
void TakeRows(Growth& growth) {
  const std::vector<ExprPtr> members = growth.members();
  for (const ExprPtr& member : members) {
    const int64_t columns = AxisOfKnownPlaces(member);
    if (columns < 1) continue;  // there is no axis of rows
    const ExprPtr& rows = relay::AsCall(member)->args[0];
    const bool of_images = ShapeOf(member).size() != 4 || columns == 3;
    if (!of_images || AxisOfKnownPlaces(rows) != columns - 1 || growth.users().OnlyUser(rows) == nullptr) continue;
    if (!growth.grouping().Has(rows)) growth.Take(rows);
  }
}

// Takes the values that only takes of a few known columns read, with the chain of operators and rows behind them. So
// the columns between are not computed, as where a large image shrinks. Each element that is read costs more than one
// of a row, which is read in order.
//
//    add(x * take(x, rows), ...) -> take(columns below), take(columns above) -> blend        one kernel
void TakeSparse(Growth& growth) {
  constexpr int64_t kGatheredCost = 2;
  const std::vector<ExprPtr> members = growth.members();
  for (const ExprPtr& member : members) {
    const int64_t columns = AxisOfKnownPlaces(member);
    if (columns < 0 || columns + 1 != static_cast<int64_t>(ShapeOf(member).size())) continue;
    const ExprPtr& data = relay::AsCall(member)->args[0];
    if (relay::AsCall(data) == nullptr || !IsPointwise(data) || !growth.IsOnlyUsedInside(data)) continue;
    int64_t read = 0;
    for (const ExprPtr& user : growth.users().users.at(data.get())) {
      const bool known = AxisOfKnownPlaces(user) == columns && relay::AsCall(user)->args[0] == data;
      read += known ? ShapeOf(user).back() : ShapeOf(data).back();
    }
    if (kGatheredCost * read > ShapeOf(data).back()) continue;
    growth.TakeAllSizes([&](const ExprPtr& expr) {
      return ShapeOf(expr) == ShapeOf(data) && (expr == data || IsPointwiseOrTake(expr));
    });
  }
}

}  // namespace

void GroupGeneric(const UserMap& users, const FuseOptions& options, Grouping& grouping) {
  const bool with_neighbours = options.groups;
  for (auto it = users.order.rbegin(); it != users.order.rend(); ++it) {
    if (relay::AsCall(*it) == nullptr || grouping.Has(*it)) continue;
    Growth growth(users, grouping, *it);
    if (with_neighbours && IsSoftmax(*it)) growth.TakeAll(IsCheap);
    if (with_neighbours && IsPointwise(*it)) {
      growth.TakeAll(IsPointwiseOrTake);
      if (TakeLines(growth, options.threads)) {
        grouping.Add(growth.InPostOrder());
        continue;
      }
      const ExprPtr head = HeadOfChain(growth);
      if (head != nullptr) growth.Take(head);
    }
    if (with_neighbours) TakeDecoding(growth);
    if (with_neighbours) TakeNegative(growth);
    if (with_neighbours) TakeCheapTerms(growth);
    if (with_neighbours) TakeProducts(growth);
    if (with_neighbours) TakeRows(growth);
    if (with_neighbours) TakeSparse(growth);
    grouping.Add(growth.InPostOrder());
  }
}

}  // namespace hone
