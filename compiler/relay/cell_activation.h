// The functions that the gates of a recurrent cell end in: those that ONNX lets LSTM, GRU and RNN name.
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
  kLeakyRelu,        // x, times alpha where it is negative
  kThresholdedRelu,  // x where it is at least alpha, 0 elsewhere
  kScaledTanh,       // alpha tanh(beta x)
  kHardSigmoid,      // alpha x + beta held within [0, 1]
  kElu,              // x, alpha (exp(x) - 1) where it is negative
  kSoftsign,         // x / (1 + |x|)
  kSoftplus          // log(1 + exp(x))
};

struct CellActivation {
  CellFunction function = CellFunction::kSigmoid;
  double alpha = 0, beta = 0;  // 0 where the function has none
  bool operator==(const CellActivation&) const = default;
};

// What is known of one function.
struct CellFunctionRow {
  CellFunction function;
  std::string_view name;  // in attributes: "hard_sigmoid"
  std::string_view onnx;  // "HardSigmoid"
  int parameters = 0;     // how many of alpha and beta it has
  double alpha = 0;       // their defaults in ONNX
  double beta = 0;
};

// Every function once; the rows live for the process.
const std::vector<CellFunctionRow>& CellFunctions();

// The functions named in an attribute's text, one space apart: "sigmoid tanh hard_sigmoid(0.2,0.5)". Throws
// Error(kBadData) naming what is not one.
std::vector<CellActivation> ParseCellActivations(std::string_view text);
// The reverse, for one function.
std::string CellActivationText(const CellActivation& activation);

// Its value in float64; NaN in, NaN out.
double CellActivationOf(const CellActivation& activation, double x);

}  // namespace hone::relay
