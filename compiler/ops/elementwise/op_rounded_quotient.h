// The arithmetic of quantisation: a division by a step, rounded to an integer within bounds.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"

namespace hone::relay {

// clip(round(x / step), lo, hi) of float32. The step is one positive constant of the graph, and both bounds are
// integers of 32 bits, so a quotient between them is not large.
struct RoundedQuotient {
  const Call* division = nullptr;  // its first argument is x
  float step = 1;
  double lo = 0, hi = 0;
};
// nullopt for any other call.
std::optional<RoundedQuotient> AsRoundedQuotient(const Call& clip);

}  // namespace hone::relay
