// Circular and hyperbolic functions: those of Relay, and others composed of them with little cancellation.
#include <cmath>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Writes formulas; every operand has the node's shape or is a number.
class Formula {
 public:
  explicit Formula(const OnnxNodeView& view) : view_(view) {}

  ExprPtr x() const { return view_.Input(0); }
  ExprPtr Of(std::string_view op, const ExprPtr& a) const { return view_.Call(op, {a}); }
  ExprPtr Add(const ExprPtr& a, const ExprPtr& b) const { return view_.Call("add", {a, b}); }
  ExprPtr Times(const ExprPtr& a, const ExprPtr& b) const { return view_.Call("multiply", {a, b}); }
  ExprPtr Over(const ExprPtr& a, const ExprPtr& b) const { return view_.Call("divide", {a, b}); }
  ExprPtr Plus(const ExprPtr& a, double b) const { return WithScalar(view_, "add", a, b); }
  ExprPtr By(const ExprPtr& a, double b) const { return WithScalar(view_, "multiply", a, b); }
  ExprPtr From(double a, const ExprPtr& b) const { return view_.Call("subtract", {Number(a), b}); }
  ExprPtr Inverse(const ExprPtr& a) const { return Over(Number(1), a); }
  // An odd function, from its value at the magnitude.
  ExprPtr Odd(const ExprPtr& at_magnitude) const { return Times(Of("sign", x()), at_magnitude); }
  ExprPtr Above(const ExprPtr& a, double bound, const ExprPtr& then, const ExprPtr& otherwise) const {
    return view_.Call("where", {WithScalar(view_, "greater", a, bound), then, otherwise});
  }

 private:
  ExprPtr Number(double a) const { return ScalarLike(view_, x(), a); }
  const OnnxNodeView& view_;
};

template <ExprPtr (*kFormula)(const Formula&)>
std::vector<ExprPtr> Convert(const OnnxNodeView& view) {
  return {kFormula(Formula(view))};
}

ExprPtr Sin(const Formula& f) { return f.Of("sin", f.x()); }
ExprPtr Cos(const Formula& f) { return f.Of("cos", f.x()); }
ExprPtr Atan(const Formula& f) { return f.Of("atan", f.x()); }
ExprPtr Tan(const Formula& f) { return f.Over(Sin(f), Cos(f)); }

// The tangent of half the angle is x / (1 + sqrt(1 - x^2)).
ExprPtr Asin(const Formula& f) {
  const ExprPtr root = f.Of("sqrt", f.Times(f.From(1, f.x()), f.Plus(f.x(), 1)));
  return f.By(f.Of("atan", f.Over(f.x(), f.Plus(root, 1))), 2);
}

// The tangent of half the angle is sqrt((1 - x) / (1 + x)).
ExprPtr Acos(const Formula& f) {
  return f.By(f.Of("atan", f.Of("sqrt", f.Over(f.From(1, f.x()), f.Plus(f.x(), 1)))), 2);
}

// sinh(2 h) = 2 sinh(h) cosh(h), because exp(|x|) overflows before its half does. With t = exp(h) - 1 and e = t + 1 it
// is t (1 + 1 / e) / 2 times (e + 1 / e).
ExprPtr Sinh(const Formula& f) {
  const ExprPtr t = f.Of("expm1", f.By(f.Of("abs", f.x()), 0.5)), e = f.Plus(t, 1), inverse = f.Inverse(e);
  return f.Odd(f.Times(f.By(f.Times(t, f.Plus(inverse, 1)), 0.5), f.Add(e, inverse)));
}

// With e = exp(|x| / 2): (e / 2) e + 1 / (2 e^2), because e^2 overflows before its half does.
ExprPtr Cosh(const Formula& f) {
  const ExprPtr e = f.Of("exp", f.By(f.Of("abs", f.x()), 0.5));
  return f.Add(f.Times(f.By(e, 0.5), e), f.By(f.Inverse(f.Times(e, e)), 0.5));
}

// log(1 + a + a^2 / (1 + sqrt(a^2 + 1))) for a = |x|; log(2 a) where the square could overflow.
ExprPtr Asinh(const Formula& f) {
  const ExprPtr a = f.Of("abs", f.x()), root = f.Of("sqrt", f.Plus(f.Times(a, a), 1));
  const ExprPtr near = f.Of("log1p", f.Add(a, f.Times(a, f.Over(a, f.Plus(root, 1)))));
  return f.Odd(f.Above(a, 1e9, f.Plus(f.Of("log", a), std::log(2)), near));
}

// With t = x - 1: log(1 + t + sqrt(t) sqrt(t + 2)); log(2 x) where the sum could overflow.
ExprPtr Acosh(const Formula& f) {
  const ExprPtr t = f.Plus(f.x(), -1);
  const ExprPtr near = f.Of("log1p", f.Add(t, f.Times(f.Of("sqrt", t), f.Of("sqrt", f.Plus(t, 2)))));
  return f.Above(f.x(), 1e9, f.Plus(f.Of("log", f.x()), std::log(2)), near);
}

// log(1 + 2 a / (1 - a)) / 2 for a = |x|.
ExprPtr Atanh(const Formula& f) {
  const ExprPtr a = f.Of("abs", f.x());
  return f.Odd(f.By(f.Of("log1p", f.Over(f.By(a, 2), f.From(1, a))), 0.5));
}

struct TrigonometricRow {
  std::string_view onnx;
  OnnxConvert convert;
  const char* becomes;
};
constexpr TrigonometricRow kTrigonometric[] = {
    {"Sin", Convert<Sin>, "sin"},
    {"Cos", Convert<Cos>, "cos"},
    {"Tan", Convert<Tan>, "cos divide sin"},
    {"Asin", Convert<Asin>, "add atan divide multiply sqrt subtract"},
    {"Acos", Convert<Acos>, "add atan divide multiply sqrt subtract"},
    {"Atan", Convert<Atan>, "atan"},
    {"Sinh", Convert<Sinh>, "abs add divide expm1 multiply sign"},
    {"Cosh", Convert<Cosh>, "abs add divide exp multiply"},
    {"Asinh", Convert<Asinh>, "abs add divide greater log log1p multiply sign sqrt where"},
    {"Acosh", Convert<Acosh>, "add greater log log1p multiply sqrt where"},
    {"Atanh", Convert<Atanh>, "abs divide log1p multiply sign subtract"},
};

}  // namespace

OnnxOperatorTable TrigonometryOperators() {
  OnnxOperatorTable table;
  for (const TrigonometricRow& row : kTrigonometric) {
    table.push_back({row.onnx, 1, 1, row.convert, {}, {.becomes = row.becomes, .takes_counts = true}});
  }
  return table;
}

}  // namespace hone
