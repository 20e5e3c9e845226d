// One step of a recurrent layer for a few rows: products of the states with the weight, then the cell.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/ops/recurrent/op_cell.h"
#include "compiler/relay/expr.h"

namespace hone {

// Extents of the call, and the division of its loops for the machine.
struct RecurrentShape {
  RecurrentShape(const relay::Call& call, const MachineModel& machine);

  relay::RecurrentCell cell;
  int64_t steps = 0, rows = 0, units = 0, blocks = 0;
  int lanes = 1;                   // lanes of one vector; divides kRecurrentBlock
  int64_t group = 1;               // rows whose sums are in registers together
  int64_t item_rows = 1;           // rows of an item, in whole groups: all of them use each tile of the weight
  int64_t accumulators = 1;        // vectors of sums that stay in registers
  DType weight = DType::kFloat32;  // kInt8 if the cell has scales
  // Bytes per worker: a gru's update gates, and its states times the reset gates.
  int64_t workspace_bytes() const;
  int64_t padded() const { return blocks * relay::kRecurrentBlock; }
};

// The operands' addresses; null for operands that the cell lacks.
struct RecurrentOperands {
  Value *data = nullptr, *weight = nullptr, *hidden = nullptr, *cell = nullptr, *bias = nullptr, *peepholes = nullptr,
        *scales = nullptr, *lengths = nullptr;
  Value *states = nullptr, *last_hidden = nullptr, *last_cell = nullptr;
  Value* workspace = nullptr;
};

// The rows of a step.
struct RecurrentStep {
  int64_t direction = 0;
  Value* first_row = nullptr;
  int64_t rows = 1;                // rows from the first one on
  Value* time = nullptr;           // time of the data that is read and the states that are written
  Value* before = nullptr;         // the first row's hidden state before this step
  Value* before_stride = nullptr;  // bytes from one row's state to the next
  Value* terms = nullptr;          // of each sum of products with the state: all units, or none; null: all
};

// Offsets in bytes of a row of the states of all steps, and of a row of one state.
Value* StatesAt(KernelBuilder& b, const RecurrentShape& shape, int64_t direction, Value* time, Value* row);
Value* StateAt(KernelBuilder& b, const RecurrentShape& shape, int64_t direction, Value* row);

// Reads the previous hidden states and an lstm's cells in `last_cell`; writes the step's states and those cells.
void EmitRecurrentStep(KernelBuilder& b, const RecurrentShape& shape, const RecurrentOperands& operands,
                       const RecurrentStep& step);

}  // namespace hone
