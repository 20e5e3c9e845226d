// The table of activations: what a convolution or dense layer may end in, and operators of their own elsewhere.
#pragma once

#include <string_view>
#include <vector>

#include "core/workload.h"

namespace hone {

// An attribute of the operator.
struct ActivationParameter {
  std::string_view attribute;
  double otherwise = 0;  // its default
  std::string_view description;
};

// Its kernels are emitted by EmitActivation of compiler/codegen/activation.h, wherever they stand.
struct ActivationRow {
  Activation activation = Activation::kNone;
  std::string_view name;  // in the text of an epilogue
  std::string_view op;    // in the graph
  std::string_view description;
  int support_level = 0;  // of the operator
  // What it means. `lo` and `hi` are the first and the second parameter, 0 where it has none.
  double (*reference)(double x, double lo, double hi) = nullptr;
  std::vector<ActivationParameter> parameters{};
  bool homogeneous = false;  // f(s x) = s f(x) for s > 0, whatever the parameters

  // Whether it makes something else of 0: lanes past the channels must then be masked.
  bool ChangesZero(double lo, double hi) const { return reference(0, lo, hi) != 0; }
};

// One row for each but kNone.
const std::vector<ActivationRow>& Activations();
// Null for kNone, or when no activation is the operator `op`.
const ActivationRow* FindActivation(Activation activation);
const ActivationRow* FindActivation(std::string_view op);

}  // namespace hone
