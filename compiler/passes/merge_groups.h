// Pass: groups of a convolution that are narrower than a vector are computed several at a time.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A grouped nn.conv2d with constant float32 weights whose groups have fewer outputs than `lanes`, and a number that
// divides it, becomes one with as many groups in one as fill the lanes; the filters are zero where a group met
// another's channels. Each vector does as many steps as before for as many more outputs, and the channels stay in full
// blocks. What is not finite in one channel reaches the outputs of the groups that share its vector. Depthwise
// convolutions stay.
relay::IRModule MergeGroups(const relay::IRModule& module, int lanes);

}  // namespace hone
