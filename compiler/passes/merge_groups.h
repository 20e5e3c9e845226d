// Pass: merges convolution groups that are narrower than a vector.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Takes a grouped nn.conv2d with constant float32 weights whose groups have fewer outputs than `lanes`, a number that
// divides `lanes`. It merges as many groups as fill the lanes; filters are zero where a group meets another's channels:
//
//    two groups:   a . | b .     merged:   a . 0 0
//                  a . | b .               a . 0 0
//                                          0 0 b .
//                                          0 0 b .
//
// Each vector takes more steps for correspondingly more outputs, and the channels stay in full blocks. A NaN or
// infinity in one channel reaches the outputs of all groups that share its vector. Depthwise convolutions stay.
relay::IRModule MergeGroups(const relay::IRModule& module, int lanes);

}  // namespace hone
