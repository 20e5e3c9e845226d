// What LSTM, GRU and RNN have in common, whoever says where their weights come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/relay/recurrent_cell.h"

namespace hone {

// A node's extents, checked against its inputs.
struct RecurrentExtents {
  int64_t steps = 0, rows = 0, inputs = 0, units = 0;
  bool rows_first = false;  // layout = 1: rows before steps, and before directions
};

// The functions named by `activations`, activation_alpha and activation_beta; ONNX's own where none are. Throws
// Error(kBadData) naming what is not one.
std::vector<relay::CellActivation> ReadActivations(const OnnxNodeView& view, const relay::RecurrentCell& cell);

// The outputs Y, Y_h and, of an LSTM, Y_c of a node whose inputs lie as ONNX's LSTM has them; W and R are
// (directions, gates * units, ...). An R of int8 has `scales`, (directions, gates * units); those of floats have none.
// Of `cell` the kind is read, and input_forget. Throws Error(kBadData).
std::vector<relay::ExprPtr> RecurrentLayer(const OnnxNodeView& view, relay::RecurrentCell cell, const relay::ExprPtr& w,
                                           const relay::ExprPtr& r, const relay::ExprPtr& scales = nullptr);

}  // namespace hone
