// Reads which activation a call is.
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

}  // namespace hone::relay
