#include "compiler/ops/attention/kernel_plan.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "compiler/codegen/matrix_tiles.h"
#include "compiler/ops/attention/kernel.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/batch_matmul.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/error.h"

namespace hone {
namespace {

relay::ExprPtr WithoutCalls(relay::ExprPtr expr, std::string_view op) {
  while (const relay::Call* call = relay::AsCallTo(expr, op)) expr = call->args[0];
  return expr;
}

const relay::Call& ValuesProduct(const relay::Function& function) {
  return *relay::AsCall(WithoutCalls(WithoutCalls(function.body, "transpose"), "cast"));
}

// With so many queries, reading keys and values from a far cache costs little beside the products.
constexpr int64_t kFewestQueries = 32, kMostQueries = 64;

// The product of one matrix with `rows` rows.
Workload OfRows(const Workload& whole, int64_t rows) {
  Workload part = whole;
  part.data[whole.OperandAxes(0).find('B')] = 1;
  part.data[whole.OperandAxes(0).find('M')] = rows;
  part.weight[whole.OperandAxes(1).find('B')] = 1;
  return part;
}

struct RowTileProduct {
  int64_t columns = 0, unroll = 1;
  double ns = 0;
};

// The best product by number of rows of its register tile.
std::map<int64_t, RowTileProduct> BestByRows(const Workload& part, const MachineModel& machine) {
  std::map<int64_t, RowTileProduct> best;
  const Schedule& schedule = BatchMatmul();
  const ConfigSpace space = schedule.Space(part, machine);
  for (int64_t i = 0; i < space.size(); ++i) {
    const Config config = space.At(i);
    const BatchMatmulKnobs knobs(config);
    if (knobs.pack != 1 || knobs.prefetch != 0 || schedule.Reject(part, machine, config)) continue;
    const double ns = schedule.EstimateNs(part, machine, config);
    RowTileProduct& known = best[knobs.tile_m];
    if (known.columns == 0 || ns < known.ns) known = {knobs.oc_block, knobs.unroll_ic, ns};
  }
  return best;
}

constexpr int64_t kTileRows = 16, kTileStep = 32;

bool TakesMatrixTiles(const Workload& scores, const Workload& values, const MachineModel& machine) {
  const MatmulShape queries(scores);
  const bool multiplied = machine.bfloat16_tiles && scores.types.bfloat() && values.types.bfloat();
  return multiplied && queries.K % kTileStep == 0 && queries.data.column == 1 && queries.M >= kTileRows;
}

// Blocks of whole tiles; the last one begins before the previous one ends.
AttentionTiles MatrixTilesOf(int64_t queries) {
  const int64_t block = std::min(kMostQueries, queries / kTileRows * kTileRows);
  const int64_t rows = block % (2 * kTileRows) == 0 ? 2 * kTileRows : kTileRows;
  return {rows, block, 2 * kTileRows, 2 * kTileRows, 1, 1, true};
}

int64_t ToLines(int64_t bytes, const MachineModel& machine) {
  return CeilDiv(bytes, machine.line_bytes) * machine.line_bytes;
}

}  // namespace

const relay::Call& AttentionSoftmax(const relay::Function& function) {
  relay::ExprPtr weights = ValuesProduct(function).args[0];
  weights = WithoutCalls(WithoutCalls(WithoutCalls(weights, "reshape"), "cast"), "reshape");
  if (AttentionOf(function)->zeroes_nan) weights = relay::AsCall(weights)->args[2];
  return *relay::AsCall(WithoutCalls(weights, "reshape"));
}

AttentionParts::AttentionParts(const relay::Function& function) : softmax(&AttentionSoftmax(function)) {
  const relay::Call& product = ValuesProduct(function);
  relay::PostOrderVisit(softmax->args[0], [&](const relay::ExprPtr& expr) {
    if (relay::AsCallTo(WithoutCalls(expr, "reshape"), "nn.batch_matmul") != nullptr) scores = expr;
  });
  const relay::Call& scored = *relay::AsCall(WithoutCalls(scores, "reshape"));
  const auto parameter = [&](const relay::ExprPtr& arg, int64_t* products = nullptr) {
    relay::ExprPtr param = WithoutCalls(arg, "transpose");
    // The mask of values is one by key_count, too.
    if (const relay::Call* mask = relay::AsCallTo(param, "where")) param = mask->args[1];
    const relay::Call* repeat = relay::AsCallTo(WithoutCalls(param, "reshape"), "broadcast_to");
    if (repeat != nullptr && products != nullptr) *products = repeat->type->shape[1];
    if (repeat != nullptr) param = repeat->args[0];
    for (size_t i = 0; i < function.params.size(); ++i) {
      if (function.params[i] == param) return static_cast<int>(i);
    }
    throw Error(ExitCode::kBug, "an attention's product reads what is no parameter");
  };
  queries = parameter(scored.args[0]);
  keys = parameter(scored.args[1], &products_per_keys);
  values = parameter(product.args[1], &products_per_values);
  if (!AttentionOf(function)->counts_keys) return;
  const relay::Call& masked = *relay::AsCallTo(softmax->args[0], "where");
  key_count = parameter(relay::AsCallTo(masked.args[0], "less")->args[1]);
}

AttentionTiles AttentionTilesFor(const Workload& scores, const Workload& values, const MachineModel& machine) {
  const int64_t queries = scores.Extent('M'), keys = scores.Extent('N');
  if (TakesMatrixTiles(scores, values, machine)) return MatrixTilesOf(queries);
  const int64_t row_bytes = keys * DTypeBytes(DType::kFloat32);
  const int64_t held = std::clamp(machine.l2_bytes / 2 / row_bytes, kFewestQueries, kMostQueries);
  const int64_t rows = std::min(queries, held);
  const auto scored = BestByRows(OfRows(scores, rows), machine), weighed = BestByRows(OfRows(values, rows), machine);
  AttentionTiles tiles;
  double least = 0;
  for (const auto& [tile, first] : scored) {
    const auto second = weighed.find(tile);
    if (second == weighed.end()) continue;
    const double ns = first.ns + second->second.ns;
    if (tiles.rows != 0 && ns >= least) continue;
    least = ns;
    const RowTileProduct& other = second->second;
    tiles = {tile, rows / tile * tile, first.columns, other.columns, first.unroll, other.unroll};
  }
  if (tiles.rows == 0) throw Error(ExitCode::kBug, "no register tile fits both products of an attention");
  return tiles;
}

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
