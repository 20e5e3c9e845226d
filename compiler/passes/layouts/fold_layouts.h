// Pass: constants are packed into the layouts that kernels read them in.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A layout_transform of a constant becomes a Constant whose value is the physical tensor and whose type is the logical
// shape with the layout.
relay::IRModule FoldLayouts(const relay::IRModule& module);

}  // namespace hone
