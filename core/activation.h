// The table of activations: what a convolution or dense layer may end in, and operators of their own elsewhere.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/activation_math.h"

namespace hone {

// An attribute of the operator.
struct ActivationParameter {
  std::string_view attribute;
  double otherwise = 0;  // its default
  std::string_view description;
};

// All that is made of it (operator, reference, epilogue's text, kernels) follows from the row.
struct ActivationRow {
  std::string_view name;  // in the text of an epilogue
  std::string_view op;    // in the graph
  std::string_view description;
  int support_level = 0;  // of the operator
  // What it means. `lo` and `hi` are the first and the second parameter, 0 where it has none.
  ActivationMath::Term (*formula)(ActivationMath& m, ActivationMath::Term x, double lo, double hi) = nullptr;
  std::vector<ActivationParameter> parameters{};
  bool homogeneous = false;  // f(s x) = s f(x) for s > 0, whatever the parameters

  // The formula in float64.
  double Reference(double x, double lo, double hi) const;
  // Whether it makes something else of 0: lanes past the channels must then be masked.
  bool ChangesZero(double lo, double hi) const { return Reference(0, lo, hi) != 0; }
};

// The rows live for the process.
const std::vector<ActivationRow>& Activations();
// Null when there is none: of an operator "nn.relu", of a name "relu".
const ActivationRow* ActivationOfOp(std::string_view op);
const ActivationRow* ActivationNamed(std::string_view name);

// What a formula is made of, the most that any of its terms needs.
enum class FormulaKind : uint8_t {
  kBounds = 0,      // bounds alone: integers, too
  kArithmetic = 1,  // products and sums: any float
  kFunctions = 2,   // polynomials in kernels: float32
};
FormulaKind KindOf(const ActivationRow& row);

}  // namespace hone
