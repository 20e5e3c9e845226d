// What quantising does to a number: a division by a step, rounded to whole numbers within bounds.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"

namespace hone::relay {

// clip(round(x / step), lo, hi) of float32, the step one positive number of the graph and both
// bounds whole numbers of 32 bits: no quotient between them is large.
struct RoundedQuotient {
  const Call* division = nullptr;  // of x, its first argument
  float step = 1;
  double lo = 0, hi = 0;
};
// nullopt for any other call.
std::optional<RoundedQuotient> AsRoundedQuotient(const Call& clip);

}  // namespace hone::relay
