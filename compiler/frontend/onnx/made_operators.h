// Which ONNX operators become calls of a Relay operator.
#pragma once

#include <string_view>
#include <vector>

namespace hone {

// Those whose nodes may become calls of the operator, alone or with others, sorted; names live for the process. What is
// computed when a model is imported becomes a constant and does not count. Empty for an operator that none becomes.
std::vector<std::string_view> OnnxOperatorsOf(std::string_view relay_operator);

}  // namespace hone
