// A config's register tile and the loops around it, as its schedule describes them.
#pragma once

namespace hone {

// Every kernel of a schedule is this nest, whatever its axes are called:
//
//   for each group of columns          `groups`
//     for each line of outputs                             reads input_bytes
//       for each register tile         line / rows         reads weight_bytes again, once per pass
//         for each step                steps / unroll      rows x vectors multiply-adds, unroll times
//
// Counts and bytes are doubles because estimates and features multiply and divide them.
struct TileShape {
  double rows = 1;             // broadcast scalars of a step: outputs along a line, Winograd tiles, matrix rows
  double vectors = 1;          // vectors of output channels or columns that each scalar is multiplied with
  double line = 1;             // rows divided among neighbouring tiles; the last may be narrower
  double groups = 1;           // neighbouring register tiles across the output channels or columns
  double steps = 1;            // of the reduction, for one output
  double unroll = 1;           // steps in one iteration of the innermost loop
  double passes = 1;           // over the reduction, with partial sums in memory between them
  double weight_bytes = 0;     // of one register tile and pass
  double input_bytes = 0;      // of a line and all steps
  double workspace_bytes = 0;  // written and read again between the parts of a kernel, by one worker or by all

  double accumulators() const { return rows * vectors; }
  bool operator==(const TileShape&) const = default;
};

}  // namespace hone
