// ONNX operators that take values whose extents are counted in a run (counts.h).
#pragma once

#include <string_view>

namespace hone {

// Whether the operator's converter asks for no extent but those that its operators of the graph pass on. The domain is
// empty for ONNX's own.
bool TakesCounts(std::string_view domain, std::string_view op_type);

}  // namespace hone
