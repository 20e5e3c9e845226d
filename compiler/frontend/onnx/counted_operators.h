// ONNX operators that take values whose extents are counted at run time (counts.h).
#pragma once

#include <string_view>

namespace hone {

// Whether the operator's converter needs no extent except through the graph's operators, which pass counts on. The
// domain is empty for ONNX's own operators.
bool TakesCounts(std::string_view domain, std::string_view op_type);

}  // namespace hone
