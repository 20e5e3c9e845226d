#include "lab/records/kernel_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/compile_kernel.h"
#include "core/text/printable.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

// Products of tiles in the time of as many float32 multiply-adds, over what `products` says of them (AMX).
constexpr double kTileWidth = 8;

std::vector<KernelOperand> OperandsOf(const Candidate& candidate) {
  return FindSchedule(candidate.schedule)
      ->Operands(candidate.workload, candidate.config, CanonicalEpilogue(candidate.workload));
}

int64_t BytesOfOperands(const std::vector<KernelOperand>& operands) {
  int64_t bytes = 0;
  for (const KernelOperand& operand : operands) bytes += ElementCount(operand.shape) * DTypeBytes(operand.dtype);
  return bytes;
}

// Winograd computes a tile of t x t outputs of a 3x3 convolution with (t + 2)^2 products instead of 9 t^2.
double SavedBy(const std::vector<KernelOperand>& operands) {
  int64_t tile = 0;
  for (const KernelOperand& operand : operands) tile = std::max(tile, operand.layout.winograd_tile());
  return tile == 0 ? 1 : static_cast<double>(9 * tile * tile) / static_cast<double>((tile + 2) * (tile + 2));
}

// The nearest cache that holds so many bytes.
std::string CacheText(double bytes, const MachineModel& machine) {
  const auto size = static_cast<int64_t>(std::llround(bytes));
  const std::string text = BytesText(size);
  if (size <= machine.l1_bytes) return text + " (fits L1)";
  if (size <= machine.l2_bytes) return text + " (fits L2)";
  return text + (size <= machine.l3_bytes ? " (fits L3)" : " (beyond L3)");
}

std::string NsText(double ns) { return TimeText(std::llround(ns)); }

std::string RooflineText(const KernelBounds& b) {
  std::string text = fmt::format("roofline: {} over {} is {:.1f} FLOP per byte", FlopText(b.flops), BytesText(b.bytes),
                                 b.flops / static_cast<double>(std::max<int64_t>(b.bytes, 1)));
  if (b.ns > 0) {
    text += fmt::format("; {} GFLOP/s, {:.1f} GB/s", GflopsText(b.flops, std::llround(b.ns)),
                        static_cast<double>(b.bytes) / b.ns);
  }
  if (b.saved > 1) text += fmt::format("; Winograd's algorithm multiplies {:.3g} times less", b.saved);
  return text + "\n";
}

std::string RoofsUsedText(const KernelBounds& b) {
  const std::string wider = b.width() > 1 ? fmt::format(", times {:.3g} for its types", b.width()) : "";
  return fmt::format("{} peak on {}: {:.1f} GFLOP/s{}, {:.1f} GB/s\n", b.roofs.measured ? "measured" : "assumed",
                     Counted(b.machine.threads, "thread"), b.roofs.gflops, wider, b.roofs.read_gbps);
}

std::string BoundText(const KernelBounds& b) {
  std::string text = fmt::format("bound by {}: at least {} for arithmetic", b.bound(), NsText(b.arithmetic_ns()));
  if (b.loads_ns() > 0) text += fmt::format(", {} for loads", NsText(b.loads_ns()));
  text += b.memory_ns() > 0 ? fmt::format(", {} for memory", NsText(b.memory_ns())) : ", its operands lie in a cache";
  if (b.ns > 0) text += fmt::format("; {:.0f} % of its {}", 100 * b.bound_ns() / b.ns, NsText(b.ns));
  return text + "\n";
}

std::string TileText(const KernelBounds& b) {
  std::string text =
      fmt::format("register tile: {:g} x {:g} vectors of {} lanes, {:g} sum{}", b.tile.rows, b.tile.vectors,
                  b.machine.vector_lanes, b.tile.accumulators(), b.tile.accumulators() == 1 ? "" : "s");
  if (!b.loop.tiles) text += fmt::format(" in {} registers", b.machine.vector_registers);
  if (b.loop.multiply_adds > 0) {
    text += fmt::format("; {:.2f} loads per multiply-add, {} spilled",
                        static_cast<double>(b.loop.loads) / b.loop.multiply_adds, b.loop.stack);
  }
  return text + "\n";
}

std::string FootprintsText(const KernelBounds& b) {
  std::string text = fmt::format("caches: weights of a tile {}, input of a line {}",
                                 CacheText(b.tile.weight_bytes, b.machine), CacheText(b.tile.input_bytes, b.machine));
  if (b.tile.workspace_bytes > 0) text += ", workspace " + CacheText(b.tile.workspace_bytes, b.machine);
  return text + "\n";
}

}  // namespace

double KernelBounds::width() const {
  double width = loop.products;
  if (loop.tiles) return width * kTileWidth;
  return loop.products == 2 ? width / machine.bfloat_dot_cost : width;
}

double KernelBounds::arithmetic_ns() const { return roofs.gflops > 0 ? flops / saved / (roofs.gflops * width()) : 0; }

// The hot loop's loads take this share of its multiply-adds' time.
double KernelBounds::loads_ns() const {
  if (loop.multiply_adds == 0 || loop.tiles) return 0;
  const double loads = loop.loads / machine.loads_per_cycle;
  return arithmetic_ns() * loads / (loop.multiply_adds / machine.multiply_adds_per_cycle);
}

double KernelBounds::memory_ns() const {
  const double memory_ns = roofs.read_gbps > 0 ? static_cast<double>(bytes) / roofs.read_gbps : 0;
  return ns > 0 && memory_ns > ns ? 0 : memory_ns;
}

double KernelBounds::bound_ns() const { return std::max({arithmetic_ns(), loads_ns(), memory_ns()}); }

std::string KernelBounds::bound() const {
  const double most_ns = bound_ns();
  if (most_ns <= 0) return "";
  if (most_ns == memory_ns()) return "memory";
  return most_ns > arithmetic_ns() ? "loads" : "arithmetic";
}

KernelBounds BoundsOf(const Candidate& candidate, int threads, const MachineRoofs& roofs, double ns) {
  const std::vector<KernelOperand> operands = OperandsOf(candidate);
  KernelBounds bounds;
  bounds.flops = candidate.workload.Flops();
  bounds.bytes = BytesOfOperands(operands);
  bounds.saved = SavedBy(operands);
  bounds.ns = ns;
  bounds.machine = MachineModelFor(candidate.target, threads);
  bounds.roofs = roofs;
  bounds.tile = FindSchedule(candidate.schedule)->Tile(candidate.workload, bounds.machine, candidate.config);
  bounds.loop = FindHotLoop(CompileAssembly(candidate));
  return bounds;
}

std::string BoundsText(const KernelBounds& b) {
  std::string text = RooflineText(b);
  if (b.bound_ns() > 0) text += RoofsUsedText(b) + BoundText(b);
  return text + TileText(b) + FootprintsText(b);
}

Json BoundsJson(const KernelBounds& b) {
  Json json = {{"flops", b.flops},
               {"bytes", b.bytes},
               {"winograd_saves", b.saved},
               {"peak_gflops", b.roofs.gflops},
               {"peak_read_gbps", b.roofs.read_gbps},
               {"peak_measured", b.roofs.measured},
               {"bound", b.bound()},
               {"arithmetic_ns", b.arithmetic_ns()},
               {"loads_ns", b.loads_ns()},
               {"memory_ns", b.memory_ns()},
               {"tile",
                {{"rows", b.tile.rows},
                 {"vectors", b.tile.vectors},
                 {"weight_bytes", b.tile.weight_bytes},
                 {"input_bytes", b.tile.input_bytes},
                 {"workspace_bytes", b.tile.workspace_bytes}}}};
  if (b.ns > 0) {
    json["gflops"] = b.flops / b.ns;
    json["gbytes_per_second"] = static_cast<double>(b.bytes) / b.ns;
    json["of_bound"] = b.bound_ns() / b.ns;
  }
  if (b.loop.multiply_adds > 0) {
    json["loads_per_multiply_add"] = static_cast<double>(b.loop.loads) / b.loop.multiply_adds;
  }
  return json;
}

}  // namespace hone
