// Pass: constants are packed into the layouts in which kernels read them.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A layout_transform of a constant becomes a Constant. Its value is the physical tensor, and its type is the logical
// shape with the layout.
relay::IRModule FoldLayouts(const relay::IRModule& module);

}  // namespace hone
