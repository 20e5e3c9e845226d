// Passes: dense layers store weights as integers in blocks, and multiply rows of bytes.
#pragma once

#include <vector>

#include "compiler/passes/narrow_weights.h"
#include "compiler/relay/expr.h"
#include "core/block_format.h"

namespace hone {

// Takes every nn.dense of float32 with 65,536 constant weights or more. It becomes an nn.dense_blocks of the format,
// which has no zero points. In each block the weight of the largest magnitude is exact. The others are the nearest
// multiples of its 128th (8 bits) or 8th (4 bits). Integral products, layers marked to keep float32 and weights that
// are not finite stay as they are. The module must have its types.
relay::IRModule PackWeights(const relay::IRModule& module, const BlockFormat& format);
// The layers that PackWeights leaves because of the values of their weights.
std::vector<KeptWeights> WeightsNotPacked(const relay::IRModule& module);

// Each nn.dense_blocks quantises its rows of data to bytes, with a step for each block.
relay::IRModule QuantiseRows(const relay::IRModule& module);

}  // namespace hone
