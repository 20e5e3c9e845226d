// Pass: tensors without elements are constants, so that no kernel meets one.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A tensor with a dimension of 0 has only one value. So every expression of such a type, including an input, becomes a
// constant. A concatenation drops such fields. Any other operator that reads one (a sum, whose value is 0) is computed
// at compile time. Throws Error(kBadData) naming an operator whose result has elements that depend on other data as
// well, such as an element taken from an empty tensor.
relay::IRModule DropEmpty(const relay::IRModule& module);

}  // namespace hone
