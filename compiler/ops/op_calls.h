// Calls that passes and kernels recognise: activations, rounded quotients and reductions.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"
#include "core/activation.h"

namespace hone::relay {

struct ActivationCall {
  const ActivationRow* row = nullptr;
  double lo = 0, hi = 0;  // the first and second parameter; 0 if it has none
};

// `attrs` are the attributes of a call of the row's operator.
ActivationCall ReadActivation(const ActivationRow& row, const Attrs& attrs);
// nullopt if the call is of another operator, or of a function.
std::optional<ActivationCall> AsActivation(const Call& call);

// The arithmetic of quantisation: clip(round(x / step), lo, hi) of float32. The step is one positive constant of the
// graph, and both bounds are integers of 32 bits, so a quotient between them is not large.
struct RoundedQuotient {
  const Call* division = nullptr;  // its first argument is x
  float step = 1;
  double lo = 0, hi = 0;
};
// nullopt for any other call.
std::optional<RoundedQuotient> AsRoundedQuotient(const Call& clip);

// Whether a typed call reduces complete axes of float32 and keeps them with extent 1. Such calls are a sum, mean,
// product or extremum with keepdims, and a global pool.
bool IsKeptReduction(const Call& call);

}  // namespace hone::relay
