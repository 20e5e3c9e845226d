// The elements of each value that the outputs depend on, for extents that are known only in a run.
//
// The ONNX reader makes elements behind a runtime extent neutral before an operator would mix them in
// (frontend/onnx/counts.h). So they need not be computed: this analysis goes from the outputs, whose true extents are
// results of @main, back to the inputs.
//
//    where(position < n, x, 0)    of x only the first n positions are needed, whatever reads the result
//    an output with extent n      of its value only the first n positions are needed
//
// An operator without a rule needs all of its arguments, so a missing rule costs time, never a wrong result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The first ceil((extent * scale + plus) / step) positions of an axis. `extent` is an int64 scalar of @main: a
// parameter, a call, or an item of a call.
struct NeededPositions {
  relay::ExprPtr extent;
  int64_t scale = 1, step = 1, plus = 0;
  bool operator==(const NeededPositions&) const = default;
};
// One per logical axis; nullopt: all positions are needed.
using NeededAxes = std::vector<std::optional<NeededPositions>>;

class NeededExtents {
 public:
  // `optimized` is what Lower takes, and must outlive the object.
  explicit NeededExtents(const relay::IRModule& optimized);

  // The needed part of field `field` of a value within the function that `call` calls. Empty: all of it, or the value
  // has no such part.
  NeededAxes Within(const relay::Call& call, const relay::Expr& value, int field = 0) const;
  // The part of a result that the caller sees; results count with every field of a tuple as one of its own. Empty for a
  // module without extents.
  NeededAxes OfResult(size_t result) const { return result < results_.size() ? results_[result] : NeededAxes(); }

 private:
  friend class NeededWalk;
  using Key = std::pair<const relay::Expr*, int>;  // a value and its field
  std::unordered_map<const relay::Call*, std::map<Key, NeededAxes>> within_;
  std::vector<NeededAxes> results_;
};

}  // namespace hone
