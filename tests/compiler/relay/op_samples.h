// Calls of each operator, for tests that run over the registry.
#pragma once

#include <vector>

#include "compiler/relay/op.h"

namespace hone::relay {

// Shapes of the arguments, and attributes. An operator that takes a tuple gets one of two fields of that shape.
struct OpSample {
  std::vector<Shape> shapes;
  Attrs attrs;
};

// Samples that cover every list of element types of the row, with attributes that allow it. Positions of 0 or 1 are
// valid in the data.
std::vector<OpSample> SamplesOf(const OpDef& op);

// The spec of argument `i` of the sample.
const InputSpec& InputOf(const OpDef& op, const OpSample& sample, size_t i);
// Every list of element types, one per argument, that the row allows.
std::vector<std::vector<DType>> AllowedElements(const OpDef& op, const OpSample& sample);
// The arguments' types.
std::vector<TypePtr> TypesOf(const OpDef& op, const OpSample& sample, const std::vector<DType>& elements);

}  // namespace hone::relay
