// The ONNX operators that become calls of a Relay operator.
#pragma once

#include <string_view>
#include <vector>

namespace hone {

// The ONNX operators whose nodes may become calls of the Relay operator, perhaps with other calls; sorted. Names live
// as long as the process. Values that the import computes become constants and do not count. Empty if there are none.
std::vector<std::string_view> OnnxOperatorsOf(std::string_view relay_operator);

}  // namespace hone
