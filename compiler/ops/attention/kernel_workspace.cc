#include "compiler/ops/attention/kernel_workspace.h"

#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

int64_t ToLines(int64_t bytes, const MachineModel& machine) {
  return CeilDiv(bytes, machine.line_bytes) * machine.line_bytes;
}

}  // namespace

AttentionWorkspace::AttentionWorkspace(const MatmulShape& s, const MatmulShape& v, const AttentionTiles& t,
                                       const MachineModel& machine) {
  constexpr int64_t kTogether = MatrixTiles::kRows;
  value_steps = t.matrix_tiles ? CeilDiv(v.steps(), kTogether) * kTogether : v.steps();
  const int64_t columns = CeilDiv(s.N, t.score_columns) * t.score_columns;
  const int64_t row = ToLines(columns * kBytes, machine);
  score_row = row / machine.line_bytes % 2 == 0 ? row + machine.line_bytes : row;
  values = ToLines(columns * s.steps() * kBytes, machine);
  const int64_t panels = CeilDiv(v.N, t.value_columns);
  scores = values + ToLines(panels * t.value_columns * value_steps * kBytes, machine);
  inverse = scores + t.block * score_row;
  sums = inverse + ToLines(t.block * kBytes, machine);
  end = sums + (t.matrix_tiles ? t.rows * t.value_columns * kBytes : 0);
}

}  // namespace hone
