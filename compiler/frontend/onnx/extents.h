// Integers that a run computes, in a normal form: sums of products of the numbers that the run is given or counts.
//
//    past + seq - past                seq
//    (seq * 4 + 4) / 4                seq + 1
//    4 * (past + seq) / (past + seq)  4
//
// Numbers with equal forms are equal in every run. A form without products is a known number.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

class TypedBuilder;

// The types in which ONNX computes with extents: int64 and int32.
bool HoldsExtents(DType dtype);

class Extent {
 public:
  // The atoms of a product, sorted; none for the constant term.
  using Product = std::vector<int>;

  Extent() = default;  // zero
  explicit Extent(int64_t number) : Extent(Product(), number) {}
  Extent(Product product, int64_t factor);

  // The terms' factors, none of them 0.
  const std::map<Product, int64_t>& terms() const { return terms_; }
  std::optional<int64_t> known() const;
  bool operator==(const Extent&) const = default;
  std::strong_ordering operator<=>(const Extent&) const = default;

 private:
  friend std::optional<Extent> Sum(const Extent& a, const Extent& b, int64_t factor);
  std::map<Product, int64_t> terms_;
};

// a + factor * b, a * b, and a / b for a b that divides it; nullopt if the form grows too large, or if b does not
// divide it.
std::optional<Extent> Sum(const Extent& a, const Extent& b, int64_t factor = 1);
std::optional<Extent> Product(const Extent& a, const Extent& b);
std::optional<Extent> Quotient(const Extent& a, const Extent& b);

// The least and greatest value; kUnbounded and its negative stand for no limit.
struct Interval {
  static constexpr int64_t kUnbounded = int64_t{1} << 62;
  int64_t least = -kUnbounded;
  int64_t most = kUnbounded;
};

// The forms of a builder's expressions. Not thread-safe.
class ExtentForms {
 public:
  // The builder must outlive this.
  explicit ExtentForms(TypedBuilder& builder) : builder_(builder) {}

  // Adds that an int64 scalar is in this range in each run.
  void Narrow(const relay::ExprPtr& scalar, Interval range);
  // The form of an element of an integer expression, in row-major order.
  Extent FormOf(const relay::ExprPtr& expr, int64_t element = 0);
  // The number if all runs agree on it; for bools too. Computes nothing new in the graph.
  std::optional<int64_t> KnownOf(const relay::ExprPtr& expr, int64_t element);
  // An int64 scalar with this form: one expression for each form.
  relay::ExprPtr NumberOf(const Extent& form);
  Interval RangeOf(const Extent& form) const;

 private:
  enum class Rule { kQuotient, kLesser, kGreater };
  struct Atom {
    relay::ExprPtr number;
    Interval range;
  };
  using MaybeExtent = std::optional<Extent>;

  Extent Opaque(const relay::ExprPtr& expr, int64_t element);
  MaybeExtent Find(const relay::ExprPtr& expr, int64_t element, int depth);
  MaybeExtent Computed(const relay::ExprPtr& expr, int64_t element, int depth);
  MaybeExtent OfCall(const relay::Call& call, const Shape& shape, int64_t element, int depth);
  static MaybeExtent Cast(const Extent& form, std::string_view dtype);
  MaybeExtent Compared(std::string_view op, const Extent& a, const Extent& b) const;
  MaybeExtent Combined(std::string_view op, const Extent& a, const Extent& b);
  MaybeExtent Divided(const Extent& a, int64_t by);
  Extent Chosen(const Extent& a, const Extent& b, bool lesser);
  Extent Derived(Rule rule, const Extent& a, const Extent& b, Interval range);
  int AtomOf(relay::ExprPtr number, Interval range);
  relay::ExprPtr ElementOf(const relay::ExprPtr& expr, int64_t element);

  TypedBuilder& builder_;
  std::vector<Atom> atoms_;
  std::map<std::pair<relay::ExprPtr, int64_t>, MaybeExtent> forms_;
  std::map<std::pair<relay::ExprPtr, int64_t>, int> opaque_;
  std::map<std::tuple<Rule, Extent, Extent>, int> derived_;
  std::map<Extent, relay::ExprPtr> numbers_;
};

}  // namespace hone
