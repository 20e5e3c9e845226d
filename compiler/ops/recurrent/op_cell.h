// The computation of a call of nn.recurrent, read from its attributes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"

namespace hone::relay {

// The activations of a cell's gates: the functions that ONNX allows for LSTM, GRU and RNN.
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

// Neighbouring outputs in the packed weight: as many as the widest vectors have lanes, and a multiple of all others.
inline constexpr int64_t kRecurrentBlock = 16;

enum class CellKind : uint8_t {
  kRnn,            // h = f(x + R h)
  kGru,            // gates z, r, h; the candidate sees R (r h)
  kGruResetAfter,  // h with r (R h + bias): as in PyTorch and Keras
  kLstm            // gates i, o, f, c
};

struct RecurrentCell {
  CellKind kind = CellKind::kLstm;
  std::vector<bool> reversed;               // one per direction: true if it goes from the last step to the first
  std::vector<CellActivation> activations;  // `functions()` per direction
  double clip = std::numeric_limits<double>::infinity();  // the inputs of gate functions are clamped to +-clip
  bool input_forget = false;                              // the forget gate is 1 - the input gate
  bool peepholes = false;                                 // has an argument of that name
  bool scales = false;                                    // has an argument of that name; the weight is int8
  bool lengths = false;                                   // has an argument of that name
  bool zero_state = false;  // the first hidden state is zeros, so that the first step has no products with it

  int64_t directions() const { return static_cast<int64_t>(reversed.size()); }
  // Products of the state, per unit.
  int64_t gates() const { return kind == CellKind::kLstm ? 4 : kind == CellKind::kRnn ? 1 : 3; }
  // Functions per direction: f; f, g; f, g, h, as in ONNX.
  int64_t functions() const { return kind == CellKind::kLstm ? 3 : kind == CellKind::kRnn ? 1 : 2; }
  const CellActivation& Function(int64_t direction, int64_t i) const {
    return activations[static_cast<size_t>(direction * functions() + i)];
  }

  // Argument numbers; -1 if the cell lacks the argument. 0 is the data, 1 the weight, 2 the first hidden state.
  int cell_argument() const { return kind == CellKind::kLstm ? 3 : -1; }
  int bias_argument() const { return kind == CellKind::kGruResetAfter ? 3 : -1; }
  int peepholes_argument() const { return peepholes ? 4 : -1; }
  int scales_argument() const { return scales ? arguments() - (lengths ? 2 : 1) : -1; }
  int lengths_argument() const { return lengths ? arguments() - 1 : -1; }
  int arguments() const {
    const int state = cell_argument() >= 0 || bias_argument() >= 0 ? 1 : 0;
    return 3 + state + (peepholes ? 1 : 0) + (scales ? 1 : 0) + (lengths ? 1 : 0);
  }
  bool operator==(const RecurrentCell&) const = default;
};

// Throws Error(kBadData) naming the wrong attribute.
RecurrentCell ReadRecurrentCell(const Attrs& attrs);
// The attributes from which ReadRecurrentCell makes the cell.
Attrs RecurrentAttrs(const RecurrentCell& cell);

}  // namespace hone::relay
