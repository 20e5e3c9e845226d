// Loops whose end depends on data.
#pragma once

#include <functional>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// while (goes_on(carried)) carried = body(carried); returns the last carried values. `goes_on` gives an i1 and must
// have no effects.
Vals LoopWhile(KernelBuilder& b, const Vals& carried, const std::function<Value*(const Vals&)>& goes_on,
               const std::function<Vals(const Vals&)>& body);

}  // namespace hone
