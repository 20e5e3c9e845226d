// The computation of a call of nn.recurrent, read from its attributes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "compiler/ops/recurrent/op_cell_activation.h"
#include "compiler/relay/attrs.h"

namespace hone::relay {

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
