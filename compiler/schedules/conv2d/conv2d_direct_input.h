// The place from which conv2d_direct's tiles read their input: the data itself, or a panel in the worker's workspace.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv2d_direct.h"
#include "compiler/schedules/conv2d/conv_emitter.h"

namespace hone {

// The panel holds one of two things:
// - one row of inputs after the prologue, packed, without the columns that a stride skips;
// - the kernel rows of one row of outputs, widened to 16 bits.
//
// Its layout is
//
//   [input block: read.block][kernel row: read.kernel_row][column: read.column][channel]
//
// In widened rows the second and third of every four channels change places, so that the pairs that PairOfFours names
// are neighbours. All strides are in bytes. Both arguments must outlive the object.
class DirectInput {
 public:
  DirectInput(KernelBuilder& builder, const DirectNest& nest);

  // Bytes per worker; 0 if tiles read the data itself.
  static int64_t WorkspaceBytes(const DirectNest& nest);

  // Bytes from one column, row or input block of the data to the next.
  struct DataStrides {
    int64_t column, row, block;
  };
  const DataStrides& data() const { return data_; }

  // The strides of the place that tiles read. `pixel` is the step from one output's input to its neighbour's.
  struct ReadStrides {
    int64_t element, column, pixel, kernel_row, block;
  };
  const ReadStrides& read() const { return read_; }

  // Loads the prologue's operands, from operand `next` on, and the workspace. Returns the number of the next operand.
  int Load(const StageArgs& args, int next);
  // Null if tiles read the data itself.
  Value* panel() const { return panel_; }

  // Fills columns [first, end) of the panel with those of row `row` of the image's inputs after the prologue.
  void Prepare(Value* image, Value* row, Value* first, Value* end) const;
  // Fills the panel with the kernel rows that output row `row` reads, from the input blocks at `source` on.
  void Widen(Value* source, Value* row, const KernelRows& rows) const;

  // The address, within the input blocks at `source`, of the first kernel row that output row `row` reads. In the
  // padding it lies before the data.
  Value* FirstRow(Value* source, Value* row) const;

 private:
  bool prologue() const { return nest_.prologue != Prologue::kNone; }
  void WidenLine(Value* from, Value* to) const;

  KernelBuilder& b_;
  const DirectNest& nest_;
  DataStrides data_;
  ReadStrides read_;
  Value *scale_ = nullptr, *shift_ = nullptr, *panel_ = nullptr;
};

}  // namespace hone
