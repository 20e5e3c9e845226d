// The activations of a recurrent cell's gates: the functions that ONNX allows for LSTM, GRU and RNN.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::relay {

enum class CellFunction : uint8_t {
  kSigmoid,          // 1 / (1 + exp(-x))
  kTanh,             // the hyperbolic tangent
  kRelu,             // max(x, 0)
  kAffine,           // alpha x + beta
  kLeakyRelu,        // x, times alpha if it is negative
  kThresholdedRelu,  // x if it is at least alpha, else 0
  kScaledTanh,       // alpha tanh(beta x)
  kHardSigmoid,      // alpha x + beta, clamped to [0, 1]
  kElu,              // x; alpha (exp(x) - 1) if it is negative
  kSoftsign,         // x / (1 + |x|)
  kSoftplus          // log(1 + exp(x))
};

struct CellActivation {
  CellFunction function = CellFunction::kSigmoid;
  double alpha = 0, beta = 0;  // 0 if the function has none
  bool operator==(const CellActivation&) const = default;
};

// The properties of one function.
struct CellFunctionRow {
  CellFunction function;
  std::string_view name;  // in attributes: "hard_sigmoid"
  std::string_view onnx;  // "HardSigmoid"
  int parameters = 0;     // number of its parameters among alpha and beta: 0 to 2
  double alpha = 0;       // their defaults in ONNX
  double beta = 0;
};

// Every function once; the rows live for the process.
const std::vector<CellFunctionRow>& CellFunctions();

// Parses an attribute's functions, separated by one space: "sigmoid tanh hard_sigmoid(0.2,0.5)". Throws Error(kBadData)
// naming the word that is no function.
std::vector<CellActivation> ParseCellActivations(std::string_view text);
// The text of one function, as ParseCellActivations reads it.
std::string CellActivationText(const CellActivation& activation);

// Its value in float64; NaN in, NaN out.
double CellActivationOf(const CellActivation& activation, double x);

}  // namespace hone::relay
