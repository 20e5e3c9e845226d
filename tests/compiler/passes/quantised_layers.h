// Layers in the form of quantised models, for tests of the passes that make them use bytes.
#pragma once

#include <string>
#include <vector>

#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {

// Integers in [-most, most].
relay::ExprPtr WholeConstant(const Shape& shape, int most, uint64_t seed);
// QuantizeLinear and DequantizeLinear in Relay: to uint8 and back.
relay::ExprPtr BackAndForth(const relay::ExprPtr& real, float scale, float zero);
// A convolution of constant int8 weights with a scale per output ("same" padding).
relay::ExprPtr QuantisedConv(const relay::ExprPtr& data, int64_t in, int64_t out, int64_t kernel, uint64_t seed,
                             int64_t groups = 1);

relay::IRModule Lifted(const relay::ExprPtr& body);
relay::IRModule Stored(const relay::IRModule& lifted);

// The epilogues and workloads of all anchors, "types epilogue" each.
std::vector<std::string> Anchors(const relay::IRModule& module);

}  // namespace hone::testing
