// The language in which activations are written. One formula gives both an activation's meaning, evaluated in float64,
// and the code of its kernels.
#pragma once

namespace hone {

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

}  // namespace hone
