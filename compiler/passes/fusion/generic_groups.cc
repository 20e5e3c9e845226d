#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/fusion/growth.h"
#include "compiler/passes/fusion/line_growth.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

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
// cast of bfloat16.
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
  if (stored != DType::kUInt8 && stored != DType::kBFloat16) return;
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
    if (with_neighbours) TakeProducts(growth);
    if (with_neighbours) TakeRows(growth);
    grouping.Add(growth.InPostOrder());
  }
}

}  // namespace hone
