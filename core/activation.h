// The table of activations. A convolution or dense layer may end in one; elsewhere each is an operator of its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone {

// The language in which activations are written. One formula gives both an activation's meaning, evaluated in float64,
// and the code of its kernels.
class ActivationMath {
 public:
  // A value. Each implementation keeps its own representation in it.
  struct Term {
    double number = 0;
    void* value = nullptr;
  };

  virtual ~ActivationMath() = default;
  // x * a + b, fused where kernels can.
  virtual Term MultiplyAdd(Term x, double a, double b) = 0;
  virtual Term Multiply(Term x, Term y) = 0;
  // NaN passes through both. An infinite bound has no effect.
  virtual Term AtLeast(Term x, double bound) = 0;
  virtual Term AtMost(Term x, double bound) = 0;
  // x, times the slope where x is negative.
  virtual Term Slope(Term x, double slope) = 0;
  // Sigmoid is 1 / (1 + exp(-x)). Silu is x times the sigmoid of x, Gelu x times the normal distribution function of
  // x.
  virtual Term Sigmoid(Term x) = 0;
  virtual Term Tanh(Term x) = 0;
  virtual Term Silu(Term x) = 0;
  virtual Term Gelu(Term x) = 0;
};

// An attribute of the operator.
struct ActivationParameter {
  std::string_view attribute;
  double otherwise = 0;  // its default
  std::string_view description;
};

// The operator, its reference, the epilogue's text and the kernels all follow from this row.
struct ActivationRow {
  std::string_view name;  // in the text of an epilogue
  std::string_view op;    // in the graph
  std::string_view description;
  int support_level = 0;  // of the operator
  // The activation's meaning. `lo` and `hi` are the first and the second parameter, 0 if it has none.
  ActivationMath::Term (*formula)(ActivationMath& m, ActivationMath::Term x, double lo, double hi) = nullptr;
  std::vector<ActivationParameter> parameters{};
  bool homogeneous = false;  // f(s x) = s f(x) for s > 0, whatever the parameters

  // The formula in float64.
  double Reference(double x, double lo, double hi) const;
  // Whether f(0) != 0. Lanes past the channels must then be masked.
  bool ChangesZero(double lo, double hi) const { return Reference(0, lo, hi) != 0; }
};

// The rows live for the process.
const std::vector<ActivationRow>& Activations();
// Finds an activation by its operator ("nn.relu") or by its name ("relu"). Null if there is none.
const ActivationRow* ActivationOfOp(std::string_view op);
const ActivationRow* ActivationNamed(std::string_view name);

// The arithmetic that a formula needs: the most demanding of its terms decides.
enum class FormulaKind : uint8_t {
  kBounds = 0,      // bounds only: integers, too
  kArithmetic = 1,  // products and sums: any float
  kFunctions = 2,   // polynomials in kernels: float32
};
FormulaKind KindOf(const ActivationRow& row);

}  // namespace hone
