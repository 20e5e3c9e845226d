// Numbers of a run as people write them.
#pragma once

#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// "seq", "2 * height - width / 4": an int64 scalar that the importer made, in terms of dimensions and known numbers.
// Other numbers are called by their node: "a number of 'NonZero_3'".
std::string ExtentText(const relay::ExprPtr& scalar);
// Whether the number follows from dimensions alone.
bool FollowsFromDimensions(const relay::ExprPtr& scalar);

}  // namespace hone
