// batch_matmul_dot: products of two computed matrices, one of which has few rows; most often it is a vector. Lanes are
// neighbours along K and are added up at the end. So both matrices are read once and in place, and nothing is packed.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct BatchMatmulDotKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> LongRows(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> FewRows(const Workload& w, const MachineModel& machine);

  // Rows of the matrix of many rows in one register tile, a power of two.
  int64_t oc_block = Row("oc_block", 4, {1, 64}, LongRows);
  // Rows of the matrix of few rows in one register tile.
  int64_t tile_m = Row("tile_m", 1, {1, 16}, FewRows);
};

// The two matrices, told apart by their number of rows. `swapped` says which is the left one, so where results go.
struct DotMatmulShape {
  MatmulShape product;
  bool swapped;       // the right one has fewer rows
  int64_t few, many;  // rows
  int64_t group;      // rows of the many that one work item takes
  MatmulSteps few_steps, many_steps;
  bool many_are_neighbours;  // in the output

  explicit DotMatmulShape(const Workload& w);
  int64_t groups() const { return (many + group - 1) / group; }
};

// Emits the only stage. Its work item number is product * groups() + group.
void EmitBatchMatmulDot(KernelBuilder& builder, const Workload& workload, const BatchMatmulDotKnobs& knobs,
                        const std::string& symbol);

}  // namespace hone
