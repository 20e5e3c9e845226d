// The common part of LSTM, GRU and RNN, for weights from any source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/ops/recurrent/op_cell.h"

namespace hone {

// A node's extents, checked against its inputs.
struct RecurrentExtents {
  int64_t steps = 0, rows = 0, inputs = 0, units = 0;
  bool rows_first = false;  // layout = 1: rows precede steps and directions
};

// The functions named by `activations`, with activation_alpha and activation_beta; ONNX's defaults if none are named.
// Throws Error(kBadData) naming an unknown one.
std::vector<relay::CellActivation> ReadActivations(const OnnxNodeView& view, const relay::RecurrentCell& cell);

// The outputs Y, Y_h and, for an LSTM, Y_c of a node with its inputs in the order of ONNX's LSTM. W and R are
// (directions, gates * units, ...). An R of int8 has `scales`, (directions, gates * units); an R of floats has none. Of
// `cell`, only the kind and input_forget are read. Throws Error(kBadData).
std::vector<relay::ExprPtr> RecurrentLayer(const OnnxNodeView& view, relay::RecurrentCell cell, const relay::ExprPtr& w,
                                           const relay::ExprPtr& r, const relay::ExprPtr& scales = nullptr);

}  // namespace hone
