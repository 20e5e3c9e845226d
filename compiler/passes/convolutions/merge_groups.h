// Pass: merges convolution groups that are narrower than a vector.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Takes a grouped nn.conv2d with constant float32 weights whose groups have fewer outputs than `lanes`, a number that
// divides `lanes`. It merges as many groups as fill the lanes; filters are zero where a group meets another's channels:
//
//    filters of two groups, a row per output        merged
//    [ a b ]   [ e f ]                              [ a b 0 0 ]
//    [ c d ]   [ g h ]                              [ c d 0 0 ]
//                                                   [ 0 0 e f ]
//                                                   [ 0 0 g h ]
//
// With m groups merged, a vector takes m times as many steps for m times as many outputs, and the channels stay in full
// blocks. A NaN or infinity in one channel reaches the outputs of all groups that share its vector. Depthwise
// convolutions stay.
relay::IRModule MergeGroups(const relay::IRModule& module, int lanes);

}  // namespace hone
