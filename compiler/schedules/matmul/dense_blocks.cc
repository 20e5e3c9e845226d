// The schedule of weights in blocks: knobs, refusals, operands, costs. dense_blocks_emit.cc has the loop nest.
#include "compiler/schedules/matmul/dense_blocks.h"

#include <fmt/format.h>

#include <optional>

#include "compiler/codegen/element.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/block_panels.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/block_format.h"
#include "core/ceil_div.h"

namespace hone {

std::vector<int64_t> DenseBlocksKnobs::Panels(const Workload&, const MachineModel& machine) {
  std::vector<int64_t> blocks;
  for (int64_t v : {1, 2, 3, 4, 6}) blocks.push_back(v * machine.vector_lanes);
  return blocks;
}

std::vector<int64_t> DenseBlocksKnobs::TileRows(const Workload& w, const MachineModel&) {
  std::vector<int64_t> rows;
  for (int64_t m = 1; m <= std::min<int64_t>(w.data[0], 14); ++m) rows.push_back(m);
  return rows;
}

std::vector<int64_t> DenseBlocksKnobs::Unpacked(const Workload& w, const MachineModel&) {
  return w.data[0] > 1 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>();
}

namespace {

class DenseOfBlocks : public KnobSchedule<DenseBlocksKnobs> {
 public:
  std::string_view name() const override { return "dense_blocks"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return types == FloatTypes(DType::kFloat32, DType::kInt32, DType::kFloat32);
  }
  bool Applies(const Workload& w, const MachineModel&) const override { return w.op == "nn.dense_blocks"; }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const DenseBlocksKnobs& k) const override {
    const int lanes = k.LanesOn(machine);
    if (k.oc_block % lanes != 0) return fmt::format("oc_block is not a multiple of {} lanes", lanes);
    if (k.tile_m > w.data[0]) return "tile_m is more than the rows";
    const BlockFormat format = BlockFormat::Parse(w.layouts);
    const bool unpacks = k.unpacks();
    if (unpacks && k.tile_m == w.data[0]) return "unpack_panel is for several tiles of rows";
    if (unpacks && k.scales_late()) return "late_scales is for weights that are unpacked in registers";
    if (k.unroll_ic > (unpacks ? w.data[1] : format.Words(std::min(w.data[1], format.block)))) {
      return "unroll_ic is more than the reduction";
    }
    const RegisterTile tile{static_cast<int>(k.tile_m), static_cast<int>(k.oc_block / lanes), lanes};
    if (auto spills = tile.Reject(machine)) return spills;
    if (!unpacks && PackedRegisters(tile, format, k, machine) > machine.vector_registers) {
      return fmt::format("the sums, words and scales need {} of {} registers",
                         PackedRegisters(tile, format, k, machine), machine.vector_registers);
    }
    const int64_t steps = k.unroll_ic * (unpacks ? 1 : format.per_word());
    constexpr int kMostSideBySide = 4;  // vectors whose words LLVM unpacks in registers, a word ahead of its use
    if (k.scales_late() && k.unroll_ic > 1 && tile.vectors > kMostSideBySide) {
      return "two words of so many vectors leave the registers";
    }
    if (tile.pixels * tile.vectors * steps > 640) return "more than 640 multiply-adds in a straight line";
    return std::nullopt;
  }

  // Sums, operands of a step, and for each vector its words, scales and zero points.
  static int64_t PackedRegisters(const RegisterTile& tile, const BlockFormat& format, const DenseBlocksKnobs& k,
                                 const MachineModel& machine) {
    const int64_t sums = int64_t{tile.pixels} * tile.vectors;
    const int64_t held = 1 + (k.scales_late() ? 0 : 1) + (format.zeros ? 1 : 0);
    return tile.RegistersOn(machine) + (k.scales_late() ? sums : 0) + held * tile.vectors;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DenseBlocksKnobs& k,
                                          const Epilogue& epilogue) const override {
    return DenseBlockOperands(w, k.oc_block, epilogue);
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const DenseBlocksKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    EmitDenseBlocks(builder, w, k, epilogue, symbol);
    EmittedKernel kernel;
    const int64_t panels = CeilDiv(w.weight[0], k.oc_block), row_tiles = CeilDiv(w.data[0], k.tile_m);
    const int64_t workspace = k.unpacks() ? Bytes(DType::kFloat32, w.data[1] * k.oc_block) : 0;
    kernel.stages.push_back({symbol, panels * row_tiles, 1, workspace});
    kernel.boxes = {{0, 0, {{panels, 1, 1, k.oc_block}, {row_tiles, 0, 1, k.tile_m}}}};
    return kernel;
  }

  // The line is all rows.
  TileShape TileWith(const Workload& w, const MachineModel& machine, const DenseBlocksKnobs& k) const override {
    TileShape tile;
    tile.rows = static_cast<double>(k.tile_m);
    tile.vectors = static_cast<double>(k.oc_block / k.LanesOn(machine));
    tile.line = static_cast<double>(w.data[0]);
    tile.groups = static_cast<double>(CeilDiv(w.weight[0], k.oc_block));
    tile.steps = static_cast<double>(w.data[1]);
    const int64_t per_word = BlockFormat::Parse(w.layouts).per_word();
    tile.unroll = static_cast<double>(k.unroll_ic * (k.unpacks() ? 1 : per_word));
    tile.weight_bytes = static_cast<double>(BlockPanelBytes(w, k.oc_block));
    tile.input_bytes = static_cast<double>(Bytes(DType::kFloat32, w.data[0] * w.data[1]));
    if (k.unpacks()) tile.workspace_bytes = static_cast<double>(Bytes(DType::kFloat32, w.data[1] * k.oc_block));
    return tile;
  }

  // Integers are unpacked by the unit that multiplies: two shifts, a conversion, and what the knobs add.
  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DenseBlocksKnobs& k) const override {
    const BlockFormat format = BlockFormat::Parse(w.layouts);
    const bool unpacks = k.unpacks(), late = k.scales_late();
    const double vectors = static_cast<double>(CeilDiv(k.oc_block, machine.vector_lanes));
    const double panels = static_cast<double>(CeilDiv(w.weight[0], k.oc_block));
    const double tiles = static_cast<double>(CeilDiv(w.data[0], k.tile_m));
    const double rows = static_cast<double>(k.tile_m), steps = static_cast<double>(w.data[1]);
    const double unpacking = vectors * (3 + (late ? 0 : 1) + (format.zeros ? 1 : 0)) / machine.multiply_adds_per_cycle;
    const double products = rows * vectors / machine.multiply_adds_per_cycle + (unpacks ? 0 : unpacking);
    const double loads = (rows + (unpacks ? vectors : 0)) / machine.loads_per_cycle;
    const double step = std::max({products, loads, machine.multiply_add_latency}) + PointerReloadCycles(machine, rows);
    const double iteration = 1.0 / static_cast<double>(k.unroll_ic * (unpacks ? 1 : format.per_word()));
    const double scaling = late ? 2 * rows * vectors * static_cast<double>(format.Blocks(w.data[1])) : 0;
    const double tile = steps * (step + iteration) + scaling + 2 * rows * vectors;
    // Each worker that has a part of a panel unpacks it.
    const double once = unpacks ? steps * (unpacking + 2 * vectors / machine.loads_per_cycle) : 0;
    const double compute = panels * (tiles * tile + once);
    const double rate = machine.threads == 1 ? machine.cold_bytes_per_cycle : machine.shared_bytes_per_cycle;
    const double first_read = panels * static_cast<double>(BlockPanelBytes(w, k.oc_block)) / rate;
    const double share = ThreadShare(static_cast<int64_t>(panels * tiles), machine.threads);
    return std::max(compute * share, first_read + 0.05 * compute * share) / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& DenseBlocks() {
  static const DenseOfBlocks schedule;
  return schedule;
}

}  // namespace hone
