#include "core/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

using Math = ActivationMath;
using Term = ActivationMath::Term;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Comparisons are written so that NaN fails them and comes out as it went in.
class Float64Math : public ActivationMath {
 public:
  Term MultiplyAdd(Term x, double a, double b) override { return {x.number * a + b}; }
  Term Multiply(Term x, Term y) override { return {x.number * y.number}; }
  Term AtLeast(Term x, double bound) override { return {x.number < bound ? bound : x.number}; }
  Term AtMost(Term x, double bound) override { return {x.number > bound ? bound : x.number}; }
  Term Slope(Term x, double slope) override { return {x.number < 0 ? slope * x.number : x.number}; }
  Term Sigmoid(Term x) override { return {1 / (1 + std::exp(-x.number))}; }
  Term Tanh(Term x) override { return {std::tanh(x.number)}; }
  // silu(-inf) is -inf * 0, which would be NaN: the limit is 0.
  Term Silu(Term x) override { return {x.number < -1000 ? 0 : x.number / (1 + std::exp(-x.number))}; }
  Term Gelu(Term x) override {
    return {x.number < -1000 ? 0 : 0.5 * x.number * (1 + std::erf(x.number * std::sqrt(0.5)))};
  }
};

class KindMath : public ActivationMath {
 public:
  Term MultiplyAdd(Term x, double, double) override { return Needs(FormulaKind::kArithmetic, x); }
  Term Multiply(Term x, Term) override { return Needs(FormulaKind::kArithmetic, x); }
  Term AtLeast(Term x, double) override { return x; }
  Term AtMost(Term x, double) override { return x; }
  Term Slope(Term x, double) override { return Needs(FormulaKind::kArithmetic, x); }
  Term Sigmoid(Term x) override { return Needs(FormulaKind::kFunctions, x); }
  Term Tanh(Term x) override { return Needs(FormulaKind::kFunctions, x); }
  Term Silu(Term x) override { return Needs(FormulaKind::kFunctions, x); }
  Term Gelu(Term x) override { return Needs(FormulaKind::kFunctions, x); }
  FormulaKind kind = FormulaKind::kBounds;

 private:
  Term Needs(FormulaKind more, Term x) {
    kind = std::max(kind, more);
    return x;
  }
};

Term Held(Math& m, Term x, double lo, double hi) { return m.AtMost(m.AtLeast(x, lo), hi); }

Term HardSwish(Math& m, Term x, double, double) { return m.Multiply(x, Held(m, m.MultiplyAdd(x, 1.0 / 6, 0.5), 0, 1)); }

template <typename Matches>
const ActivationRow* FindActivation(const Matches& matches) {
  const std::vector<ActivationRow>& rows = Activations();
  const auto found = std::find_if(rows.begin(), rows.end(), matches);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<ActivationRow>& Activations() {
  static const std::vector<ActivationRow> rows{
      {"relu",
       "nn.relu",
       "max(x, 0); NaN passes",
       1,
       [](Math& m, Term x, double, double) { return m.AtLeast(x, 0); },
       {},
       true},
      {"clip",
       "clip",
       "x held within [a_min, a_max]; NaN passes",
       3,
       Held,
       {{"a_min", -kInfinity, "least value"}, {"a_max", kInfinity, "largest value"}}},
      {"sigmoid", "sigmoid", "1 / (1 + exp(-x))", 1, [](Math& m, Term x, double, double) { return m.Sigmoid(x); }},
      {"tanh", "tanh", "hyperbolic tangent", 1, [](Math& m, Term x, double, double) { return m.Tanh(x); }},
      {"leaky_relu",
       "nn.leaky_relu",
       "x where x > 0, alpha * x elsewhere",
       3,
       [](Math& m, Term x, double slope, double) { return m.Slope(x, slope); },
       {{"alpha", 0.25, "slope below zero"}},
       true},
      {"hard_swish", "nn.hard_swish", "x * (x / 6 + 1/2 held within [0, 1])", 10, HardSwish},
      {"silu", "nn.silu", "x / (1 + exp(-x)), also called swish", 10,
       [](Math& m, Term x, double, double) { return m.Silu(x); }},
      {"gelu", "nn.gelu", "x times the standard normal distribution function of x", 10,
       [](Math& m, Term x, double, double) { return m.Gelu(x); }},
  };
  return rows;
}

double ActivationRow::Reference(double x, double lo, double hi) const {
  Float64Math math;
  return formula(math, {x}, lo, hi).number;
}

const ActivationRow* ActivationOfOp(std::string_view op) {
  return FindActivation([op](const ActivationRow& row) { return row.op == op; });
}

const ActivationRow* ActivationNamed(std::string_view name) {
  return FindActivation([name](const ActivationRow& row) { return row.name == name; });
}

FormulaKind KindOf(const ActivationRow& row) {
  KindMath math;
  row.formula(math, {}, 0, 0);
  return math.kind;
}

}  // namespace hone
