// Pass: filter taps of one or two channels of bytes become channels.
//
// Kernels of bytes multiply four neighbouring input channels at a time, in one dot product (vpdpbusd, sdot) or in two
// steps of it (vpmaddubsw). With one channel, three of the four are empty. This pass fills them with copies of the
// image, each moved by one more tap:
//
//    x        a b c d e f g        5 taps at "c":  w0 w1 w2 w3 w4
//    channel  0 a b c d                       =    w0          w4
//             1 b c d e                          +    w1        0
//             2 c d e f                          +       w2     0
//             3 d e f g                          +          w3  0
//                                  of 2 steps, the second one 4 to the right
//
// The products are the same integers, and so is their sum.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each nn.conv2d of bytes (uint8 data, constant int8 weights, one group) with one or two input channels becomes one of
// four. The taps of the axis on which fewer taps remain become channels; the border along that axis becomes an nn.pad.
relay::IRModule TapsAsChannels(const relay::IRModule& module);

}  // namespace hone
