#include "compiler/frontend/onnx/extents.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "compiler/frontend/onnx/counts.h"
#include "compiler/frontend/onnx/moved_elements.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "compiler/relay/op.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {

using relay::ExprPtr;

namespace {

constexpr size_t kMostTerms = 64, kMostFactors = 8;
constexpr int kDeepestForm = 400;
// Vectors of more elements hold no extents.
constexpr int64_t kMostInVector = 64;

int64_t Bounded(int64_t value) { return std::clamp(value, -Interval::kUnbounded, Interval::kUnbounded); }

int64_t BoundedProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return Bounded(product);
  return (a < 0) == (b < 0) ? Interval::kUnbounded : -Interval::kUnbounded;
}

Interval Times(const Interval& a, const Interval& b) {
  const auto [least, most] = std::minmax({BoundedProduct(a.least, b.least), BoundedProduct(a.least, b.most),
                                          BoundedProduct(a.most, b.least), BoundedProduct(a.most, b.most)});
  return {least, most};
}

int64_t BoundedSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return Bounded(sum);
  return a < 0 ? -Interval::kUnbounded : Interval::kUnbounded;
}

// A limit that one of them lacks the result lacks, too.
Interval Plus(const Interval& a, const Interval& b) {
  constexpr int64_t kNone = Interval::kUnbounded;
  return {std::min(a.least, b.least) <= -kNone ? -kNone : BoundedSum(a.least, b.least),
          std::max(a.most, b.most) >= kNone ? kNone : BoundedSum(a.most, b.most)};
}

Interval Over(const Interval& a, int64_t by) {
  constexpr int64_t kNone = Interval::kUnbounded;
  return {a.least <= -kNone ? -kNone : a.least / by, a.most >= kNone ? kNone : a.most / by};
}

}  // namespace

bool HoldsExtents(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

Extent::Extent(Product product, int64_t factor) {
  if (factor != 0) terms_.emplace(std::move(product), factor);
}

std::optional<int64_t> Extent::known() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

std::optional<Extent> Sum(const Extent& a, const Extent& b, int64_t factor) {
  Extent sum = a;
  for (const auto& [product, times] : b.terms_) {
    int64_t& into = sum.terms_[product];
    int64_t scaled = 0;
    if (__builtin_mul_overflow(times, factor, &scaled) || __builtin_add_overflow(into, scaled, &into)) {
      return std::nullopt;
    }
    if (into == 0) sum.terms_.erase(product);
  }
  return sum.terms_.size() > kMostTerms ? std::nullopt : std::optional(sum);
}

std::optional<Extent> Product(const Extent& a, const Extent& b) {
  std::optional<Extent> all = Extent();
  for (const auto& [left, times] : a.terms()) {
    for (const auto& [right, more] : b.terms()) {
      Extent::Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::ranges::sort(product);
      int64_t factor = 0;
      if (product.size() > kMostFactors || __builtin_mul_overflow(times, more, &factor)) return std::nullopt;
      all = Sum(*all, Extent(std::move(product), factor));
      if (!all) return all;
    }
  }
  return all;
}

namespace {

using Term = std::pair<Extent::Product, int64_t>;

// The term of most atoms, and of equally many the last one. A product of two sums leads with that of their leaders.
Term LeaderOf(const Extent& sum) {
  return *std::ranges::max_element(sum.terms(), {},
                                   [](const Term& term) { return std::pair(term.first.size(), term.first); });
}

std::optional<Extent> QuotientOfTerms(const Term& a, const Term& b) {
  Extent::Product rest;
  std::ranges::set_difference(a.first, b.first, std::back_inserter(rest));
  if (rest.size() + b.first.size() != a.first.size() || a.second % b.second != 0) return std::nullopt;
  return Extent(std::move(rest), a.second / b.second);
}

}  // namespace

// Long division of polynomials.
std::optional<Extent> Quotient(const Extent& a, const Extent& b) {
  if (b.terms().empty()) return std::nullopt;
  const Term by = LeaderOf(b);
  if (by.second == -1) return std::nullopt;  // the least integer has no quotient by it
  std::optional<Extent> result = Extent(), rest = a;
  while (result && rest && !rest->terms().empty()) {
    const auto next = QuotientOfTerms(LeaderOf(*rest), by);
    const auto part = next ? Product(*next, b) : std::nullopt;
    if (!part) return std::nullopt;
    result = Sum(*result, *next);
    rest = Sum(*rest, *part, -1);
  }
  return rest ? result : std::nullopt;
}

Interval ExtentForms::RangeOf(const Extent& form) const {
  Interval all{0, 0};
  for (const auto& [product, factor] : form.terms()) {
    Interval range{Bounded(factor), Bounded(factor)};
    for (const int atom : product) range = Times(range, Nth(atoms_, atom).range);
    all = Plus(all, range);
  }
  return all;
}

int ExtentForms::AtomOf(ExprPtr number, Interval range) {
  const auto atom = static_cast<int>(atoms_.size());
  numbers_.emplace(Extent({atom}, 1), number);
  atoms_.push_back({std::move(number), range});
  return atom;
}

void ExtentForms::Narrow(const ExprPtr& scalar, Interval range) {
  const Extent form = FormOf(scalar);
  if (form.terms().size() != 1) return;
  const auto& [product, factor] = *form.terms().begin();
  if (product.size() != 1 || factor != 1) return;
  Interval& known = Nth(atoms_, product[0]).range;
  known.least = std::max(known.least, range.least);
  known.most = std::min(known.most, range.most);
}

ExprPtr ExtentForms::ElementOf(const ExprPtr& expr, int64_t element) {
  const Shape& shape = builder_.ShapeOf(expr);
  ExprPtr one = expr;
  if (!shape.empty()) {
    const int64_t elements = ElementCount(shape);
    if (shape.size() != 1) one = builder_.OfNoNode("reshape", {one}, {{"newshape", std::vector<int64_t>{elements}}});
    one = builder_.OfNoNode("take", {one, CountOf(element)}, {{"axis", int64_t{0}}});
  }
  if (builder_.DTypeOf(one) == DType::kInt64) return one;
  return builder_.OfNoNode("cast", {one}, {{"dtype", std::string("int64")}});
}

Extent ExtentForms::FormOf(const ExprPtr& expr, int64_t element) {
  const MaybeExtent form = Find(expr, element, 0);
  return form ? *form : Opaque(expr, element);
}

// An atom of its own.
Extent ExtentForms::Opaque(const ExprPtr& expr, int64_t element) {
  const auto [atom, is_new] = opaque_.try_emplace({expr, element}, 0);
  if (is_new) atom->second = AtomOf(ElementOf(expr, element), {});
  return {{atom->second}, 1};
}

std::optional<int64_t> ExtentForms::KnownOf(const ExprPtr& expr, int64_t element) {
  const MaybeExtent form = Find(expr, element, 0);
  return form ? form->known() : std::nullopt;
}

// Nullopt for what is no sum of products, so that it is an atom only where it is used as a number.
ExtentForms::MaybeExtent ExtentForms::Find(const ExprPtr& expr, int64_t element, int depth) {
  const auto known = forms_.find({expr, element});
  if (known != forms_.end()) return known->second;
  if (const auto atom = opaque_.find({expr, element}); atom != opaque_.end()) return Extent({atom->second}, 1);
  if (depth > kDeepestForm)
    return HoldsExtents(builder_.DTypeOf(expr)) ? MaybeExtent(Opaque(expr, element)) : std::nullopt;
  const MaybeExtent form = Computed(expr, element, depth);
  forms_.emplace(std::pair(expr, element), form);
  return form;
}

ExtentForms::MaybeExtent ExtentForms::Computed(const ExprPtr& expr, int64_t element, int depth) {
  const DType dtype = builder_.DTypeOf(expr);
  if (const Tensor* value = builder_.ValueOf(expr)) {
    if (element >= value->elements()) return std::nullopt;
    if (!IsFloat(dtype)) return Extent(IntegerAt(*value, element));
    const double number = value->At(element);
    constexpr double kExact = 1 << 24;
    if (!(number >= -kExact && number <= kExact) || number != std::trunc(number)) return std::nullopt;
    return Extent(static_cast<int64_t>(number));
  }
  const relay::Call* call = relay::AsCall(expr);
  const int64_t elements = builder_.TypeOf(expr)->kind == relay::TypeKind::kTensor
                               ? ElementCount(builder_.ShapeOf(expr))
                               : kMostInVector + 1;
  if (call != nullptr && relay::AsOp(call->op) != nullptr && elements <= kMostInVector &&
      builder_.CountsOf(expr).empty()) {
    if (MaybeExtent form = OfCall(*call, builder_.ShapeOf(expr), element, depth + 1)) return form;
  }
  // A number that a run is given or counts.
  if (dtype != DType::kInt64 || !builder_.ShapeOf(expr).empty() || call != nullptr) return std::nullopt;
  return Extent({AtomOf(expr, {})}, 1);
}

ExtentForms::MaybeExtent ExtentForms::OfCall(const relay::Call& call, const Shape& shape, int64_t element, int depth) {
  const std::string_view op = relay::AsOp(call.op)->def->name;
  if (const MovedElement moved = BeforeMove(builder_, call, shape, element); moved.from != nullptr) {
    if (!builder_.CountsOf(moved.from).empty()) return std::nullopt;
    const MaybeExtent form = Find(moved.from, moved.element, depth);
    return form || !HoldsExtents(builder_.DTypeOf(moved.from)) ? form : Opaque(moved.from, moved.element);
  }
  const int64_t elements = ElementCount(shape);
  const auto place = [&](const ExprPtr& arg) { return ElementCount(builder_.ShapeOf(arg)) == 1 ? 0 : element; };
  std::vector<MaybeExtent> args;
  for (const ExprPtr& arg : call.args) {
    if (builder_.TypeOf(arg)->kind == relay::TypeKind::kTuple) return std::nullopt;
    const int64_t given = ElementCount(builder_.ShapeOf(arg));
    if ((given != elements && given != 1) || !builder_.CountsOf(arg).empty()) return std::nullopt;
    args.push_back(Find(arg, place(arg), depth));
    if (!args.back() && HoldsExtents(builder_.DTypeOf(arg))) args.back() = Opaque(arg, place(arg));
  }
  if (op == "where" && args[0] && args[0]->known()) return *args[0]->known() != 0 ? args[1] : args[2];
  if (!std::ranges::all_of(args, [](const MaybeExtent& arg) { return arg.has_value(); })) return std::nullopt;
  if (args.size() == 2 && op == "divide" && IsFloat(builder_.DTypeOf(call.args[0])))
    return Quotient(*args[0], *args[1]);
  if (args.size() == 2) return Combined(op, *args[0], *args[1]);
  if (args.size() != 1) return std::nullopt;
  if (op == "cast") return Cast(*args[0], call.attrs.GetString("dtype"));
  if (op == "floor" || op == "ceil" || op == "round" || op == "trunc") return args[0];
  if (op == "negative") return Sum(Extent(), *args[0], -1);
  return std::nullopt;
}

// Extents are small, so that wider integers and floats hold them.
ExtentForms::MaybeExtent ExtentForms::Cast(const Extent& form, std::string_view dtype) {
  if (dtype == "int64" || dtype == "int32" || dtype == "float32") return form;
  if (dtype == "bool" && form.known()) return Extent(*form.known() != 0 ? 1 : 0);
  return std::nullopt;
}

ExtentForms::MaybeExtent ExtentForms::Combined(std::string_view op, const Extent& a, const Extent& b) {
  if (op == "add") return Sum(a, b);
  if (op == "subtract") return Sum(a, b, -1);
  if (op == "multiply") return Product(a, b);
  if (op == "minimum" || op == "maximum") return Chosen(a, b, op == "minimum");
  if (op == "divide" || op == "floor_divide") {
    if (const MaybeExtent exact = Quotient(a, b)) return exact;
    const auto by = b.known();
    if (by && *by > 0 && RangeOf(a).least >= 0) return Divided(a, *by);
    return std::nullopt;
  }
  return Compared(op, a, b);
}

// Comparisons that have one result in all runs.
ExtentForms::MaybeExtent ExtentForms::Compared(std::string_view op, const Extent& a, const Extent& b) const {
  const MaybeExtent difference = Sum(a, b, -1);
  if (!difference) return std::nullopt;
  const auto [least, most] = RangeOf(*difference);
  const auto decided = [](bool always, bool never) -> MaybeExtent {
    if (!always && !never) return std::nullopt;
    return Extent(always ? 1 : 0);
  };
  if (op == "equal") return decided(least == 0 && most == 0, least > 0 || most < 0);
  if (op == "not_equal") return decided(least > 0 || most < 0, least == 0 && most == 0);
  if (op == "less") return decided(most < 0, least >= 0);
  if (op == "less_equal") return decided(most <= 0, least > 0);
  if (op == "greater") return decided(least > 0, most <= 0);
  if (op == "greater_equal") return decided(least >= 0, most < 0);
  if (op == "logical_and" && a.known() && b.known()) return Extent(*a.known() != 0 && *b.known() != 0 ? 1 : 0);
  if (op == "logical_or" && a.known() && b.known()) return Extent(*a.known() != 0 || *b.known() != 0 ? 1 : 0);
  return std::nullopt;
}

// a / by, rounded down, for a that is never negative. Terms that `by` divides leave the division:
// (4 * h + 2 + r) / 4 is h + (2 + r) / 4.
ExtentForms::MaybeExtent ExtentForms::Divided(const Extent& a, int64_t by) {
  Extent whole, rest;
  for (const auto& [product, factor] : a.terms()) {
    const int64_t over = ((factor % by) + by) % by;
    whole = *Sum(whole, Extent(product, (factor - over) / by));
    rest = *Sum(rest, Extent(product, over));
  }
  const auto [least, most] = RangeOf(rest);
  if (least < 0) {
    whole = Extent();
    rest = a;
  }
  if (least >= 0 && most < by) return whole;
  const Extent quotient = Derived(Rule::kQuotient, rest, Extent(by), Over(RangeOf(rest), by));
  return Sum(whole, quotient);
}

Extent ExtentForms::Chosen(const Extent& a, const Extent& b, bool lesser) {
  const MaybeExtent difference = Sum(a, b, -1);
  const Interval gap = difference ? RangeOf(*difference) : Interval();
  if (gap.most <= 0) return lesser ? a : b;
  if (gap.least >= 0) return lesser ? b : a;
  const Interval first = RangeOf(a), second = RangeOf(b);
  const auto pick = [&](int64_t x, int64_t y) { return lesser ? std::min(x, y) : std::max(x, y); };
  return Derived(lesser ? Rule::kLesser : Rule::kGreater, std::min(a, b), std::max(a, b),
                 {pick(first.least, second.least), pick(first.most, second.most)});
}

Extent ExtentForms::Derived(Rule rule, const Extent& a, const Extent& b, Interval range) {
  const auto key = std::tuple(rule, a, b);
  if (const auto known = derived_.find(key); known != derived_.end()) return {{known->second}, 1};
  const char* const op = rule == Rule::kQuotient ? "divide" : rule == Rule::kLesser ? "minimum" : "maximum";
  const int atom = AtomOf(builder_.OfNoNode(op, {NumberOf(a), NumberOf(b)}), range);
  derived_.emplace(key, atom);
  return {{atom}, 1};
}

ExprPtr ExtentForms::NumberOf(const Extent& form) {
  if (const auto number = form.known()) return CountOf(*number);
  if (const auto known = numbers_.find(form); known != numbers_.end()) return known->second;
  ExprPtr sum;
  for (const auto& [product, factor] : form.terms()) {
    ExprPtr term;
    for (const int atom : product) {
      const ExprPtr& number = Nth(atoms_, atom).number;
      term = term == nullptr ? number : builder_.OfNoNode("multiply", {term, number});
    }
    if (term == nullptr) {
      term = CountOf(factor);
    } else if (factor != 1) {
      term = builder_.OfNoNode("multiply", {term, CountOf(factor)});
    }
    sum = sum == nullptr ? term : builder_.OfNoNode("add", {sum, term});
  }
  forms_.insert_or_assign({sum, 0}, form);
  numbers_.emplace(form, sum);
  return sum;
}

}  // namespace hone
