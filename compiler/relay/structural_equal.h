// Whether two graphs are equal except for the names in them.
#pragma once

#include <cstdint>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Compares operators, attributes (with defaults), constants (type and bytes), parameters' types in order, and the shape
// of the graph. A value that one graph computes once and uses twice must be so in the other; constants may be shared or
// not. Names of variables, nodes and constants, results' types and notes are ignored. A free variable is equal only to
// itself. Neither argument may be null. Iterative, like all walks.
bool StructuralEqual(const ExprPtr& a, const ExprPtr& b);
// Compares the modules' mains and the values bound to parameters, by position.
bool StructuralEqual(const IRModule& a, const IRModule& b);

// Equal for equal graphs, in every process and on every machine; for others 64 bits as good as random. Free variables
// count by their names, and sharing is ignored.
uint64_t StructuralHash(const ExprPtr& expr);
// Also hashes the bound values.
uint64_t StructuralHash(const IRModule& module);

}  // namespace hone::relay
