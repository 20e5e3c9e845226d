// Whether two graphs are the same but for the names in them.
#pragma once

#include <cstdint>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Equal operators, attributes (defaults counted), constants (type and bytes), parameters' types in their order, and the
// same shape of the graph: what one computes once and uses twice, the other does too (constants may be shared or not).
// Names of variables, nodes and constants, results' types and notes do not count. A free variable is equal to itself
// alone. Neither may be null. Iterative, as all walks.
bool StructuralEqual(const ExprPtr& a, const ExprPtr& b);
// The modules' mains, and the values bound to parameters, by position.
bool StructuralEqual(const IRModule& a, const IRModule& b);

// The same for equal graphs, in every process and on every machine: 64 bits, as good as random otherwise. Free
// variables count by their names, and what is shared counts as if it were not.
uint64_t StructuralHash(const ExprPtr& expr);
// Bound values count too.
uint64_t StructuralHash(const IRModule& module);

}  // namespace hone::relay
