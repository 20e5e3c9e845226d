// Pass: channel shuffles become one selection of channels, placed where it costs least.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A reshape, a transpose and a reshape that only permute channels become take(data, channels, axis=1). A selection then
// sinks below operators that treat channels alike: elementwise operators, constant biases and depthwise convolutions.
// Their constants are reordered for the channels that they read then. A selection of a selection becomes one.
//
// A grouped convolution before a selection may have groups that do not fill vectors of `lanes`. If its weights are
// constant, each group gets filters of zeros at its end, and the selection leaves out their channels. If most of each
// vector would idle, the filters are added even without a selection, and a selection is added with them:
//
//    group of 3, 8 lanes     outputs  0 1 2 | 3 4 5
//    padded                  outputs  0 1 2 z z z z z | 3 4 5 z z z z z      z: filter of zeros
//    selection               channels 0 1 2 8 9 10
//
// A convolution with several outputs for each channel becomes a depthwise one of repeated channels.
relay::IRModule GatherChannels(const relay::IRModule& module, int lanes);

}  // namespace hone
