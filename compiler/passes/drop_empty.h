// Pass: tensors without elements are constants, so that no kernel meets one.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A tensor with a dimension of 0 has one value: whatever has such a type, an input too, becomes a constant. A
// concatenation drops such fields, and any other operator that reads them (a sum, whose value is 0) is computed here.
// Throws Error(kBadData) naming an operator whose result has elements that depend on other data as well (an element
// taken from none).
relay::IRModule DropEmpty(const relay::IRModule& module);

}  // namespace hone
