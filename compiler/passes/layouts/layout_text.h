// Names of layouts in the graph: a text, empty for row-major.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "core/layout.h"

namespace hone {

// The graph's name of an operand's layout; empty if it is row-major.
std::string LayoutName(const Layout& layout);

// The layout of a row-major tensor in the letters of `other`: "NCHW" for "NCHW16c".
std::string RowMajorText(const std::string& other);

// The tensor type in another layout.
relay::TypePtr InLayout(const relay::TypePtr& type, const std::string& layout);

// The block of a type in NCHW{c}c, or 0 for every other layout.
int64_t ChannelBlock(const relay::TypePtr& type);

// The shape in memory.
Shape PhysicalShapeOf(const relay::Type& type);

}  // namespace hone
