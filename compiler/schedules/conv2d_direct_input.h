// Where the tiles of conv2d_direct read their input: where it lies, or in a panel in the worker's workspace.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d_direct.h"
#include "compiler/schedules/kernel_rows.h"

namespace hone {

// The panel holds one row of inputs after the prologue, packed, with the columns that a stride skips left out; or the
// kernel rows of one row of outputs made 16 bits wide:
//   [input block: read.block][kernel row: read.kernel_row][column: read.column][channel]
// There the second and third of every four channels change places: then pairs that PairOfFours means are neighbours.
// All strides are in bytes. Both arguments must outlive it.
class DirectInput {
 public:
  DirectInput(KernelBuilder& builder, const DirectNest& nest);

  // Of a worker; 0 where tiles read the data.
  static int64_t WorkspaceBytes(const DirectNest& nest);

  // From one to the next of the data's columns, rows and input blocks.
  struct DataStrides {
    int64_t column, row, block;
  };
  const DataStrides& data() const { return data_; }

  // The same of what a tile reads: `pixel` is from the input of one output to that of its neighbour.
  struct ReadStrides {
    int64_t element, column, pixel, kernel_row, block;
  };
  const ReadStrides& read() const { return read_; }

  // Takes the prologue's operands, from operand `next` on, and the workspace. Returns the number of the operand behind.
  int Load(const StageArgs& args, int next);
  // Null where tiles read the data.
  Value* panel() const { return panel_; }

  // Fills the panel with row `row` of the image's inputs after the prologue.
  void Prepare(Value* image, Value* row) const;
  // Fills it with the kernel rows that row `row` of outputs reads, from the input blocks at `source` on.
  void Widen(Value* source, Value* row, const KernelRows& rows) const;

  // Of the input blocks at `source` what the first kernel row of row `row` of outputs reads; before the data where a
  // padding is.
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
