// Words of refusals: operators that are not read, and values that are not known.
#pragma once

#include <string>
#include <string_view>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// Why the operator of that domain is refused, and the way out. The domain of ONNX's own operators is empty.
std::string WhyUnknown(std::string_view domain, std::string_view op_type);

// The operator's name, with its domain unless that is ONNX's own.
std::string OperatorName(const OnnxNode& node);

// The way out of a refusal that names none, with a semicolon in front: the model can be cut before what hone lacks.
// Empty if the refusal names one, or says what is wrong with the file.
std::string WayAround(std::string_view why);

// Whether the refusal is of an input that must be known, and this is one: integers that each run is given.
bool LacksValue(const relay::ExprPtr& input, std::string_view why);

}  // namespace hone
