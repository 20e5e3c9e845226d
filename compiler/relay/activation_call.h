// The activation that a call is.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"
#include "core/activation.h"

namespace hone::relay {

struct ActivationCall {
  const ActivationRow* row = nullptr;
  double lo = 0, hi = 0;  // the first and second parameter, 0 where there is none
};

// `attrs` are those of a call of the row's operator.
ActivationCall ReadActivation(const ActivationRow& row, const Attrs& attrs);
// nullopt when the call is of another operator, or of a function.
std::optional<ActivationCall> AsActivation(const Call& call);

}  // namespace hone::relay
