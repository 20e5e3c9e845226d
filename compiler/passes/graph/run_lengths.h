// The extents of a ranged module's dimensions for which kernels are chosen, and what runs of them need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/needed_extents.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"

namespace hone {

// Some lengths of runs, with names, without shares, the largest first: powers of four below it, and the least. Where
// none of these powers is far from the least, the geometric mean of both ends stands between them. Of several
// dimensions all shrink together, or one stays at its largest with the others at their least. Empty without ranges.
std::vector<RunLength> UsualLengths(const relay::Function& main);

// A few lengths that stand for the given ones, whose shares they have, the shortest first. The last has the largest
// extents, with a share of 0 if nobody runs them. Throws Error(kBadData) for lengths that no run has.
std::vector<RunLength> TypicalLengths(const relay::Function& main, const std::vector<RunLength>& given);
inline constexpr size_t kTypicalLengths = 6;

// A result that some runs need of an anchor.
struct NeededResult {
  Shape shape;       // as ResultShape has it
  double share = 0;  // of the runs; 0 for all if no shares are known
  bool operator==(const NeededResult&) const = default;
  auto operator<=>(const NeededResult&) const = default;
};

// The results that runs need of a module's anchors.
class NeededResults {
 public:
  // `fused` is the result of Fuse, with or without layouts, and must outlive the object. `lengths` are those of
  // BuildContext. Throws as TypicalLengths does.
  NeededResults(const relay::IRModule& fused, const std::vector<RunLength>& lengths);

  // Results of different shapes, by the number of elements. The last is the whole result.
  std::vector<NeededResult> Of(const relay::Call& call) const;

 private:
  // An extent of @main in the runs of lengths_; none if data decide on it.
  const std::vector<int64_t>& ValuesOf(const relay::ExprPtr& extent) const;
  int64_t PositionsIn(size_t length, const std::optional<NeededPositions>& needed, int64_t most) const;

  const relay::Function& main_;
  std::vector<RunLength> lengths_;
  std::optional<NeededExtents> needed_;  // absent without ranges
  mutable std::unordered_map<const relay::Expr*, std::vector<int64_t>> values_;
};

}  // namespace hone
