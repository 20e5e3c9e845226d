#include "core/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Comparisons are written so that NaN fails them and comes out as it went in.
double Held(double x, double lo, double hi) {
  if (x < lo) x = lo;
  return x > hi ? hi : x;
}

double Relu(double x, double, double) { return x < 0 ? 0.0 : x; }
double LeakyRelu(double x, double slope, double) { return x < 0 ? slope * x : x; }
double Sigmoid(double x, double, double) { return 1 / (1 + std::exp(-x)); }
double Tanh(double x, double, double) { return std::tanh(x); }
double HardSwish(double x, double, double) { return x * Held(x / 6 + 0.5, 0, 1); }
// An infinity times the 0 that its gate comes to would be NaN: the limit is 0.
double Silu(double x, double, double) { return x < -1000 ? 0 : x / (1 + std::exp(-x)); }
double Gelu(double x, double, double) { return x < -1000 ? 0 : 0.5 * x * (1 + std::erf(x * std::sqrt(0.5))); }

}  // namespace

const std::vector<ActivationRow>& Activations() {
  static const std::vector<ActivationRow> rows{
      {Activation::kRelu, "relu", "nn.relu", "max(x, 0); NaN passes", 1, Relu, {}, true},
      {Activation::kClip,
       "clip",
       "clip",
       "x held within [a_min, a_max]; NaN passes",
       3,
       Held,
       {{"a_min", -kInfinity, "least value"}, {"a_max", kInfinity, "largest value"}}},
      {Activation::kSigmoid, "sigmoid", "sigmoid", "1 / (1 + exp(-x))", 1, Sigmoid},
      {Activation::kTanh, "tanh", "tanh", "hyperbolic tangent", 1, Tanh},
      {Activation::kLeakyRelu,
       "leaky_relu",
       "nn.leaky_relu",
       "x where x > 0, alpha * x elsewhere",
       3,
       LeakyRelu,
       {{"alpha", 0.25, "slope below zero"}},
       true},
      {Activation::kHardSwish, "hard_swish", "nn.hard_swish", "x * (x / 6 + 1/2 held within [0, 1])", 10, HardSwish},
      {Activation::kSilu, "silu", "nn.silu", "x / (1 + exp(-x)), also called swish", 10, Silu},
      {Activation::kGelu, "gelu", "nn.gelu", "x times the standard normal distribution function of x", 10, Gelu},
  };
  return rows;
}

const ActivationRow* FindActivation(Activation activation) {
  const std::vector<ActivationRow>& rows = Activations();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.activation == activation; });
  return found == rows.end() ? nullptr : &*found;
}

const ActivationRow* FindActivation(std::string_view op) {
  const std::vector<ActivationRow>& rows = Activations();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.op == op; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace hone
