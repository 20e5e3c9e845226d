#include "compiler/schedules/matmul/batch_matmul_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/codegen/element.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

// With more rows than this in each matrix, packing one of them costs less than adding up lanes.
constexpr int64_t kFewRows = 16;
// Cycles of a tile's end: per sum of lanes and per tile. Fitted on a Zen 3 core.
constexpr double kMatmulLaneSum = 2, kTile = 10;
// Elements of the matrix of many rows that a work item reads.
constexpr int64_t kItemElements = 16384;

class BatchMatmulDotSchedule : public KnobSchedule<BatchMatmulDotKnobs> {
 public:
  std::string_view name() const override { return "batch_matmul_dot"; }
  int version() const override { return 1; }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    const int64_t lanes = machine.vector_lanes;
    // The emitter's loads and stores are of floats only.
    if (!w.is_batch_matmul() || w.types != ElementTypes{}) return false;
    if (!std::has_single_bit(static_cast<uint64_t>(lanes))) return false;
    const DotMatmulShape s(w);
    const auto along = [](const MatmulSteps& steps) { return steps.column == 1 && steps.first != 'K'; };
    return s.few <= kFewRows && s.product.K >= lanes && along(s.few_steps) && along(s.many_steps);
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const BatchMatmulDotKnobs& k) const override {
    const DotMatmulShape s(w);
    const int64_t lanes = machine.vector_lanes;
    if (!std::has_single_bit(static_cast<uint64_t>(k.oc_block)) || k.oc_block > lanes) {
      return fmt::format("oc_block is not a power of two of at most {} lanes", lanes);
    }
    if (k.oc_block > s.many) return "oc_block is more than the rows of either matrix";
    if (k.tile_m > s.few) return "tile_m is more than the rows of the matrix of few";
    const int64_t registers = k.oc_block * k.tile_m + k.tile_m + 1;
    if (registers <= machine.vector_registers) return std::nullopt;
    return fmt::format("{} registers, the machine has {}", registers, machine.vector_registers);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const BatchMatmulDotKnobs&,
                                          const Epilogue& epilogue) const override {
    std::vector<KernelOperand> operands = ComputedOperands(w, epilogue);
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse(w.OperandAxes(2))});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const BatchMatmulDotKnobs& k,
                         const Epilogue&, const std::string& symbol) const override {
    const DotMatmulShape s(w);
    EmitBatchMatmulDot(builder, w, k, symbol);
    EmittedKernel kernel;
    kernel.stages.push_back({symbol, s.product.B * s.groups(), 1, 0});
    kernel.boxes = {{0, 0, {{s.product.B, 0}, {s.groups(), s.swapped ? 1 : 2, 1, s.group}}}};
    return kernel;
  }

  // The line is the matrix of few rows, which every tile of the other matrix uses.
  TileShape TileWith(const Workload& w, const MachineModel& machine, const BatchMatmulDotKnobs& k) const override {
    const DotMatmulShape s(w);
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_m);
    tile.vectors = static_cast<double>(k.oc_block);
    tile.line = static_cast<double>(s.few);
    tile.groups = static_cast<double>(CeilDiv(s.many, k.oc_block));
    tile.steps = static_cast<double>(CeilDiv(s.product.K, machine.vector_lanes));
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, s.product.K * k.oc_block));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, s.few * s.product.K));
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const BatchMatmulDotKnobs& k) const override {
    const DotMatmulShape s(w);
    const double steps = static_cast<double>(CeilDiv(s.product.K, machine.vector_lanes));
    const auto tile = [&](int64_t few, int64_t many) {
      const double rows = static_cast<double>(few), vectors = static_cast<double>(many);
      const double step = std::max({rows * vectors / machine.multiply_adds_per_cycle,
                                    (rows + vectors) / machine.loads_per_cycle, machine.multiply_add_latency});
      return steps * step + kMatmulLaneSum * rows * vectors + kTile;
    };
    const auto all_few = [&](int64_t many) {
      const double whole = static_cast<double>(s.few / k.tile_m) * tile(k.tile_m, many);
      return s.few % k.tile_m == 0 ? whole : whole + tile(s.few % k.tile_m, many);
    };
    double cycles = static_cast<double>(s.many / k.oc_block) * all_few(k.oc_block);
    for (int64_t part = k.oc_block / 2; part > 0; part /= 2) cycles += (s.many & part) != 0 ? all_few(part) : 0;
    const int64_t items = s.product.B * s.groups();
    return static_cast<double>(s.product.B) * cycles * ThreadShare(items, machine.threads) / machine.clock_ghz;
  }
};

}  // namespace

std::vector<int64_t> BatchMatmulDotKnobs::LongRows(const Workload& w, const MachineModel& machine) {
  std::vector<int64_t> rows;
  for (int64_t v = 1; v <= std::min<int64_t>(DotMatmulShape(w).many, machine.vector_lanes); v *= 2) rows.push_back(v);
  return rows;
}

std::vector<int64_t> BatchMatmulDotKnobs::FewRows(const Workload& w, const MachineModel&) {
  std::vector<int64_t> rows;
  for (int64_t v = 1; v <= std::min<int64_t>(DotMatmulShape(w).few, 6); ++v) rows.push_back(v);
  return rows;
}

DotMatmulShape::DotMatmulShape(const Workload& w)
    : product(w),
      swapped(product.N < product.M),
      few(swapped ? product.N : product.M),
      many(swapped ? product.M : product.N),
      // A multiple of 64, so that it holds whole tiles: the rows of any tile divide 64.
      group(std::max<int64_t>(1, kItemElements / (64 * product.K)) * 64),
      few_steps(swapped ? product.weight : product.data),
      many_steps(swapped ? product.data : product.weight),
      many_are_neighbours((swapped ? product.output.row : product.output.column) == 1 &&
                          product.output.first != (swapped ? 'M' : 'N')) {}

const Schedule& BatchMatmulDot() {
  static const BatchMatmulDotSchedule schedule;
  return schedule;
}

}  // namespace hone
