// Values of the int64 scalars with which a graph counts, in every run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/passes/graph/needed_extents.h"
#include "compiler/relay/expr.h"

namespace hone {

class ExtentValues {
 public:
  // `main` must outlive the object.
  explicit ExtentValues(const relay::Function& main);

  // Positions that cover both in every run, as few as one of the two allows; nullopt: all of the axis.
  std::optional<NeededPositions> Cover(const NeededPositions& a, const NeededPositions& b);
  // The one that is never more than the other; `a` if that is not known.
  const NeededPositions& Lesser(const NeededPositions& a, const NeededPositions& b);

 private:
  // A scalar as a product: of a constant, and for some free dimensions of a number for each of their extents.
  struct Values {
    int64_t constant = 1;
    std::map<const relay::Expr*, std::vector<int64_t>> factors;
  };
  using Known = std::optional<Values>;
  using Arguments = std::unordered_map<const relay::Expr*, relay::ExprPtr>;
  const Known& ValuesOf(const relay::ExprPtr& scalar);
  Known Evaluate(const relay::ExprPtr& scalar, const Arguments* arguments);
  Known EvaluateCall(const relay::Call& call, const Arguments* arguments);
  static Known Combined(std::string_view op, const Values& a, const Values& b);
  // The most that b needs beyond a in any run; nullopt if it is not known.
  std::optional<int64_t> Beyond(const NeededPositions& a, const NeededPositions& b);

  std::unordered_map<const relay::Expr*, std::vector<int64_t>> dimensions_;  // extents of each parameter
  std::unordered_map<const relay::Expr*, Known> known_;                      // of scalars of @main
};

}  // namespace hone
