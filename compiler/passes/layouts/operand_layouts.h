// In which layout a function without a schedule runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Layouts of a function's operands, by name; empty is row-major. The results lie in `result`.
struct OperandLayouts {
  std::vector<std::string> operands;
  std::string result;
};

// What the function takes when it runs in NCHW{block}c, or row-major for block 0; nullopt when it cannot. Functions of
// kAny and kNCHWc operators can run blocked: operands as large as the result lie as it does, constants per channel and
// other small operands row-major. A concatenation of channels can when every input but the last has a multiple of the
// block. Everything can run row-major.
std::optional<OperandLayouts> LayoutInBlock(const relay::Function& function, int64_t block);

// The layout that the function follows when its arguments lie as `args` say: in the block that most elements of the
// operands it would take blocked lie in already, where it can.
OperandLayouts LayoutForGroup(const relay::Function& function, const std::vector<relay::TypePtr>& args);

// Whether the function takes channels, rows or columns of a float32 image: channels are read and written one by one
// wherever they lie; rows and columns are whole blocks.
bool TakesInAnyLayout(const relay::Function& function);

// Whether some operator of the function is a window or a reduction over the image, which vectors of channels suit best.
bool ReducesImages(const relay::Function& function);

}  // namespace hone
