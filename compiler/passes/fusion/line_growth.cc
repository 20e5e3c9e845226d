#include "compiler/passes/fusion/line_growth.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/reduction_call.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

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

}  // namespace

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

}  // namespace hone
