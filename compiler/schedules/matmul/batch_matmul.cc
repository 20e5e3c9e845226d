#include "compiler/schedules/matmul/batch_matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/codegen/element.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/byte_centres.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/packed_panel.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

// Cycles per output line that the caches do not hold, with and without fetching it while its tile is computed. On a Zen
// 5 core, scores of 12 x 1024 x 1024 take 7.9 ms with fetching and 9.0 to 9.8 ms without. Scores of 512 x 512 take the
// same either way, and smaller outputs lose 3 to 7 %.
constexpr double kFetchedLine = 2, kMissedLine = 8;

// Cycles per step and spilled register. LLVM loads packed weights several steps ahead. On machines with scalable
// vectors a tile that leaves fewer than a quarter of the registers free therefore spills accumulators. Read off the
// code for RISC-V's vectors.
constexpr double kLeftFree = 0.25, kSpilledStep = 2;
// Share of the time of fetching a panel again that is not hidden behind products. Fitted on a Zen 3 core.
constexpr double kUnhidden = 0.25;
// Associativity of the second cache on most machines.
constexpr int64_t kWays = 8;
// Factor by which the third cache delivers lines more slowly if nothing prefetched them. Fitted on a Zen 3 core.
constexpr double kUnforeseen = 5;

// Nothing prefetches rows of a panel in place that lie farther apart. They come as much more slowly from the second
// cache. On an Emerald Rapids core, 512 x 512 by 512 x 512 takes 1.86 ms packed, 2.0 to 2.1 ms in place.
constexpr int64_t kForeseenBytes = 1024;
constexpr double kFarRows = 3;

// Cycles to join four rows of bytes as one vector of steps, read in place. Fitted on an Emerald Rapids core.
constexpr double kJoinCycles = 2;

bool MayReadInPlace(const MatmulShape& shape, const MachineModel& machine) {
  return !shape.types.bfloat() && shape.weights_are_neighbours() && shape.N >= machine.vector_lanes;
}

// Whether a kernel reads bytes in place. A tile then has one more row, of ones.
bool JoinsRows(const MatmulShape& shape, const BatchMatmulKnobs& k) { return k.pack == 0 && shape.types.whole(); }

class BatchMatmulSchedule : public KnobSchedule<BatchMatmulKnobs> {
 public:
  std::string_view name() const override { return "batch_matmul"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& t) const override { return AreFloats(t) || AreBytePairs(t); }
  bool Applies(const Workload& w, const MachineModel&) const override {
    if (!w.is_batch_matmul()) return false;
    const MatmulShape shape(w);
    // One step multiplies neighbours along K; in a product of bytes the last step may lack some.
    if (shape.dot() == 1) return true;
    return shape.data.column == 1 && (w.types.whole() || shape.K % kBFloatGroup == 0);
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const BatchMatmulKnobs& k) const override {
    const MatmulShape shape(w);
    if (k.pack == 0 && !MayReadInPlace(shape, machine)) {
      return fmt::format(
          "weights are read in place only where N is their last axis and at least {} lanes, and not pairs of bfloat16",
          machine.vector_lanes);
    }
    return RejectTile(shape, machine, k);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const BatchMatmulKnobs&,
                                          const Epilogue& epilogue) const override {
    std::vector<KernelOperand> operands = ComputedOperands(w, epilogue);
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse(w.OperandAxes(2))});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine,
                         const BatchMatmulKnobs& k, const Epilogue& epilogue,
                         const std::string& symbol) const override {
    const MatmulShape s(w);
    EmitBatchMatmul(builder, w, k, epilogue, symbol);
    EmittedKernel kernel;
    const int64_t panels = CeilDiv(s.N, k.oc_block), row_tiles = CeilDiv(s.M, k.tile_m);
    kernel.stages.push_back({symbol, s.B * panels * row_tiles, 1, PackedBytes(s, machine, k)});
    kernel.boxes = {{0, 0, {{s.B, 0}, {panels, 2, 1, k.oc_block}, {row_tiles, 1, 1, k.tile_m}}}};
    return kernel;
  }

  // All rows of a product are one line.
  TileShape TileWith(const Workload& w, const MachineModel& machine, const BatchMatmulKnobs& k) const override {
    const MatmulShape s(w);
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_m);
    const int64_t lanes = std::min<int64_t>(machine.vector_lanes, k.oc_block), vectors = k.oc_block / lanes;
    tile.vectors = static_cast<double>(vectors);
    tile.line = static_cast<double>(s.M);
    tile.groups = static_cast<double>(CeilDiv(s.N, k.oc_block));
    tile.steps = static_cast<double>(s.steps());
    tile.unroll = static_cast<double>(k.unroll_ic);
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, s.K * k.oc_block));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, s.M * s.K));
    tile.workspace_bytes = static_cast<double>(PackedBytes(s, machine, k));
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const BatchMatmulKnobs& k) const override {
    const MatmulShape s(w);
    const int64_t panels = CeilDiv(s.N, k.oc_block), last = s.N - (panels - 1) * k.oc_block;
    const double cycles =
        static_cast<double>(panels - 1) * PanelCycles(s, machine, k, k.oc_block) + PanelCycles(s, machine, k, last);
    const int64_t items = s.B * panels * CeilDiv(s.M, k.tile_m);
    return static_cast<double>(s.B) * cycles * ThreadShare(items, machine.threads) / machine.clock_ghz;
  }

  // Bytes of a packed panel, and of the zero points' share, in a worker's workspace.
  static int64_t PackedBytes(const MatmulShape& shape, const MachineModel& machine, const BatchMatmulKnobs& k) {
    int64_t bytes = k.pack == 0 ? 0 : Bytes(StepType(shape.types), shape.steps() * k.oc_block);
    if (shape.types.whole()) bytes += ByteCentres::WorkspaceBytes(k.pack == 0 ? 0 : k.oc_block, k.tile_m);
    return CeilDiv(bytes, machine.line_bytes) * machine.line_bytes;
  }

  static std::optional<std::string> RejectTile(const MatmulShape& shape, const MachineModel& machine,
                                               const BatchMatmulKnobs& k) {
    const int lanes = static_cast<int>(std::min<int64_t>(machine.vector_lanes, k.oc_block));
    if (k.oc_block % lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", lanes);
    if (k.oc_block - lanes >= shape.N) return "oc_block has a vector of no columns";
    if (k.tile_m > shape.M) return "tile_m is more than the rows";
    if (k.unroll_ic > shape.steps()) return "unroll_ic is more than the reduction";
    const RegisterTile tile{static_cast<int>(k.tile_m + (JoinsRows(shape, k) ? 1 : 0)),
                            static_cast<int>(k.oc_block / lanes), lanes, PartsOf(shape.types, machine)};
    if (auto spills = tile.Reject(machine)) return spills;
    if (tile.pixels * tile.vectors * k.unroll_ic > 640) return "more than 640 multiply-adds in a straight line";
    return std::nullopt;
  }

  // Cycles of all row tiles of one panel, and of packing it.
  static double PanelCycles(const MatmulShape& s, const MachineModel& machine, const BatchMatmulKnobs& k,
                            int64_t columns) {
    const int64_t tiles = CeilDiv(s.M, k.tile_m), last = s.M - (tiles - 1) * k.tile_m;
    const double rows = static_cast<double>(tiles - 1) * TileCycles(s, machine, k, {k.tile_m, columns}) +
                        TileCycles(s, machine, k, {last, columns});
    const double pack = k.pack == 0 ? 0 : PackingCycles(s.weights_are_neighbours(), s.types.whole());
    return rows + pack * static_cast<double>(s.steps() * columns) * 16 / std::min(machine.vector_lanes, 16);
  }

  static double SpillCycles(const MachineModel& machine, const BatchMatmulKnobs& k, double rows, double vectors) {
    if (k.pack == 0 || !machine.scalable_vectors) return 0;
    const double held = rows * vectors + std::min(rows, vectors) + 1;
    return kSpilledStep * std::max(0.0, held - (1 - kLeftFree) * machine.vector_registers);
  }

  // Bytes per cycle at which a panel comes that the first cache does not hold. A panel read in place is rows of the
  // matrix. If their distance is a multiple of a large power of two they share few sets of the second cache, and no
  // prefetcher follows them. A panel that only one tile of rows uses is read once either way.
  static double FetchRate(const MatmulShape& s, const MachineModel& machine, const BatchMatmulKnobs& k) {
    const int64_t apart = Bytes(s.types.weight, s.weight.column), way = machine.l2_bytes / kWays;
    const int64_t held = kWays * (way / std::max<int64_t>(machine.line_bytes, std::gcd(way, apart)));
    const LevelRates& rates = machine.moved_bytes_per_cycle;
    if (k.pack != 0 || s.M <= k.tile_m) return rates.l2;
    if (s.steps() > held) return rates.l3 / kUnforeseen;
    return apart < kForeseenBytes ? rates.l2 : rates.l2 / kFarRows;
  }

  struct TileSize {
    int64_t rows, columns;
  };
  static double TileCycles(const MatmulShape& s, const MachineModel& machine, const BatchMatmulKnobs& k,
                           TileSize size) {
    const double vectors = static_cast<double>(CeilDiv(size.columns, machine.vector_lanes));
    const double rows = static_cast<double>(size.rows);
    // A panel larger than the first cache comes from the second for every row tile. Steps that lie far apart share
    // sets.
    const int64_t apart = k.pack != 0 ? k.oc_block : std::max(s.weight.column, k.oc_block);
    const bool far = Bytes(s.types.weight, s.K * apart) > machine.l1_bytes * 3 / 4;
    const double vector_bytes = static_cast<double>(Bytes(s.types.weight, machine.vector_lanes * s.dot()));
    const double fetch = far ? vectors * vector_bytes / FetchRate(s, machine, k) : 0;
    const double dots =
        s.types.bfloat() ? machine.bfloat_dot_cost * rows * vectors / machine.multiply_adds_per_cycle : 0;
    const double all_rows = rows + (JoinsRows(s, k) ? 1 : 0), joins = JoinsRows(s, k) ? kJoinCycles * vectors : 0;
    const double products = StepCycles(machine, all_rows, vectors, machine.multiply_add_latency) + joins;
    // Bytes that are widened take two products and two sums, and each operand becomes two registers.
    const double widening = s.types.whole() && PartsOf(s.types, machine) > 1 ? products + rows + vectors : 0;
    const double step = std::max({products + widening, fetch, dots}) + kUnhidden * fetch +
                        PointerReloadCycles(machine, rows) + SpillCycles(machine, k, rows, vectors) +
                        1.0 / static_cast<double>(k.unroll_ic);
    const bool leaves = Bytes(s.types.output, s.B * s.M * s.N) > machine.l3_bytes;
    const double store = leaves && k.prefetch == 0 ? kMissedLine : k.prefetch != 0 ? kFetchedLine : 0;
    const double lines = rows * LinesOfRow(s, machine, size.columns);
    return static_cast<double>(s.steps()) * step + 2 * rows * vectors + store * lines + 10;
  }

  // Cache lines of one panel's part of a row. If rows do not begin with a line, neighbouring panels share lines.
  static double LinesOfRow(const MatmulShape& s, const MachineModel& machine, int64_t columns) {
    const int64_t bytes = Bytes(s.types.output, columns), line = machine.line_bytes;
    if (Bytes(s.types.output, s.output.row) % line == 0) return static_cast<double>(CeilDiv(bytes, line));
    return static_cast<double>(bytes - Bytes(s.types.output)) / static_cast<double>(line) + 1;
  }
};

}  // namespace

std::vector<int64_t> BatchMatmulKnobs::Panels(const Workload& w, const MachineModel& machine) {
  std::vector<int64_t> blocks;
  for (int64_t v : {1, 2, 3, 4, 6, 8}) {
    if ((v - 1) * machine.vector_lanes < w.Extent('N')) blocks.push_back(v * machine.vector_lanes);
  }
  return blocks;
}

std::vector<int64_t> BatchMatmulKnobs::TileRows(const Workload& w, const MachineModel&) {
  std::vector<int64_t> rows;
  for (int64_t m = 1; m <= std::min<int64_t>(w.Extent('M'), 14); ++m) rows.push_back(m);
  return rows;
}

std::vector<int64_t> BatchMatmulKnobs::Packs(const Workload& w, const MachineModel& machine) {
  if (MayReadInPlace(MatmulShape(w), machine)) return {0, 1};
  return {1};
}

const Schedule& BatchMatmul() {
  static const BatchMatmulSchedule schedule;
  return schedule;
}

}  // namespace hone
