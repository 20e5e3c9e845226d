#include "compiler/passes/layouts/layout_cost.h"

#include <algorithm>

#include "compiler/passes/layouts/layout_text.h"

namespace hone {
namespace {

constexpr double kCacheShare = 0.9;
constexpr double kCallNs = 500;  // cost of one more kernel: its start and its barrier
// Cycles per element that the caches hold, on a Zen 5 core at 4, 8 and 16 lanes. Measured: 0.22 to 0.32 into and out of
// blocks, 0.28 to 0.5 from block to block.
constexpr double kIntoBlocks = 0.28;
constexpr double kOutOfBlocks = 0.28;
constexpr double kBetweenBlocks = 0.4;

double PhysicalBytes(const relay::Type& type, const std::string& layout) {
  const Shape shape = layout.empty() ? type.shape : Layout::Parse(layout).PhysicalShape(type.shape);
  return static_cast<double>(ElementCount(shape)) * static_cast<double>(DTypeBytes(type.dtype));
}

// Number of logical elements; -1 for a tuple or an unknown shape.
int64_t Elements(const relay::Type& type) {
  if (type.kind != relay::TypeKind::kTensor) return -1;
  const bool known = std::all_of(type.shape.begin(), type.shape.end(), [](int64_t dim) { return dim >= 0; });
  return known ? ElementCount(type.shape) : -1;
}

}  // namespace

double LayoutCost::MoveNs(double bytes) const {
  const bool in_cache = bytes < kCacheShare * static_cast<double>(machine_.l2_bytes);
  return bytes / (in_cache ? machine_.moved_bytes_per_cycle.l2 : machine_.cold_bytes_per_cycle) / machine_.clock_ghz;
}

double LayoutCost::TransformNs(const relay::Type& type, const std::string& from, const std::string& to) const {
  const int64_t elements = Elements(type);
  if (from == to || elements < 0) return 0;
  const double move_ns = MoveNs(PhysicalBytes(type, from) + PhysicalBytes(type, to));
  const double cycles = to.empty() ? kOutOfBlocks : from.empty() ? kIntoBlocks : kBetweenBlocks;
  const double element_ns = cycles / machine_.clock_ghz;
  return kCallNs + std::max(move_ns, element_ns * static_cast<double>(elements)) / std::max(machine_.threads, 1);
}

double LayoutCost::PaddingNs(const relay::Type& type, const std::string& layout) const {
  if (layout.empty() || Elements(type) < 0) return 0;
  return 2 * MoveNs(PhysicalBytes(type, layout) - PhysicalBytes(type, "")) / std::max(machine_.threads, 1);
}

}  // namespace hone
