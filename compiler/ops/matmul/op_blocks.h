// The attributes that say how integers in blocks are stored.
#pragma once

#include "compiler/relay/attrs.h"
#include "core/block_format.h"

namespace hone::relay {

// The format of the weights of nn.dense_blocks and unpack_blocks, as `bits` and `block` say. Throws Error(kBadData) for
// attributes that are no format.
BlockFormat BlockFormatOf(const Attrs& attrs, bool zeros);
// Whether rows of data are quantised to bytes, as `activations` says. Throws Error(kBadData) for another word.
bool QuantisesRows(const Attrs& attrs);
// These attributes of a format; zero points are an argument.
Attrs BlockAttrs(const BlockFormat& format);

}  // namespace hone::relay
