// batch_matmul_dot: products of two computed matrices one of which has few rows, a vector most often. Lanes are
// neighbours along K, added up at the end, so that both are read once and where they lie: nothing is packed.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/matmul_shape.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct BatchMatmulDotKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> LongRows(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> FewRows(const Workload& w, const MachineModel& machine);

  // Rows of the matrix of many that a register tile meets, a power of two.
  int64_t oc_block = Row("oc_block", 4, {1, 64}, LongRows);
  // Rows of the one of few.
  int64_t tile_m = Row("tile_m", 1, {1, 16}, FewRows);
};

// The two matrices by how many rows they have. Which of them is the left one says where results go.
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

const Schedule& BatchMatmulDot();

// The one stage, its work items product * groups() + group.
void EmitBatchMatmulDot(KernelBuilder& builder, const Workload& workload, const BatchMatmulDotKnobs& knobs,
                        const std::string& symbol);

}  // namespace hone
