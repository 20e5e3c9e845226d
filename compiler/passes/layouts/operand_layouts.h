// The layout in which a function without a schedule runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Names of the layouts of a function's operands, empty for row-major. `result` is the layout of its results.
struct OperandLayouts {
  std::vector<std::string> operands;
  std::string result;
};

// The layouts of a function that runs in NCHW{block}c, or row-major for block 0; nullopt if it cannot. Functions of
// kAny and kNCHWc operators can run blocked. Operands as large as the result then have its layout; constants per
// channel and other small operands are row-major. A concatenation of channels can run blocked if every input but the
// last has a multiple of the block. Every function can run row-major.
std::optional<OperandLayouts> LayoutInBlock(const relay::Function& function, int64_t block);

// The layouts that the function takes for arguments of these types. If it can, it uses the block that most elements
// have already, among the operands that it would read blocked.
OperandLayouts LayoutForGroup(const relay::Function& function, const std::vector<relay::TypePtr>& args);

// Whether the function takes channels, rows or columns of a float32 image. Channels are read and written one by one in
// any layout; rows and columns are whole blocks.
bool TakesInAnyLayout(const relay::Function& function);

// Whether the function has a window or a reduction over the image, for which vectors of channels are best.
bool ReducesImages(const relay::Function& function);

}  // namespace hone
