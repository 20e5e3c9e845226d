// Pass: channel shuffles become one selection of channels, taken where it costs least.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A reshape, transpose and reshape that only permute channels become take(data, channels, axis=1). A selection then
// sinks below what treats channels alike: elementwise operators, constant biases and depthwise convolutions, whose
// constants are put in the order of what they see now. A grouped convolution before a selection, with constant weights
// and groups that do not fill vectors of `lanes`, gets filters of zeros behind those of each group; the selection
// leaves their channels out. Where most of each vector would idle, such filters come with a selection of their own,
// and a convolution with several outputs for each channel becomes a depthwise one of repeated channels.
// Selections of selections are one.
relay::IRModule GatherChannels(const relay::IRModule& module, int lanes);

}  // namespace hone
