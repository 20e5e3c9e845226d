// Pass: one form for what can be said in several ways, so that later passes look for one pattern only.
#pragma once

#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// At opt_level 0 only the reshape forms, which lowering needs; from 1 all rules below, constants folded and common
// subexpressions shared.
relay::IRModule Canonicalise(const relay::IRModule& module, int opt_level);

// batch_flatten, squeeze and expand_dims are reshapes.
const std::vector<Rule>& ReshapeRules();
// Reshapes of reshapes are one, transposes of transposes too; what changes nothing (reshape, cast, pad, transpose,
// concatenate of one) is its input.
const std::vector<Rule>& IdentityRules();
// nn.pad with zeros goes into the padding of nn.conv2d and nn.avg_pool2d; taps of an nn.conv2d that see only padding
// go.
const std::vector<Rule>& PaddingRules();
// An nn.conv2d of windows side by side, with a weight much larger than the image, is a pointwise one of their pixels.
const std::vector<Rule>& PatchRules();
// A large window of nn.max_pool2d or nn.avg_pool2d is one of columns, then one of rows.
const std::vector<Rule>& PoolRules();
// Constants come second; nn.conv2d and nn.dense plus a constant per channel is nn.bias_add with axis 1; a quotient
// by a power of two, or by a root that many elements share, is a product; a small whole power is products; a mean over
// H and W is nn.global_avg_pool2d.
const std::vector<Rule>& ArithmeticRules();
// A bias, a sum or an activation of a reshaped nn.dense comes before the reshape, where the kernel takes it.
const std::vector<Rule>& ProductRules();
// The same for a dense layer of whole numbers: its scales, bias, rounding and bounds, one value per column each.
const std::vector<Rule>& WholeProductRules();
// Transposes next to nn.batch_matmul that leave the last axis in place are of rank 3, where a kernel takes them in; one
// that swaps rows and columns is transpose_a or transpose_b. A product with one matrix that is no constant is
// nn.batch_matmul, and heads that share a matrix are rows of one product with it. A number that scales a product much
// larger than one of its operands scales that operand.
const std::vector<Rule>& MatmulRules();
// A maximum with 0 is nn.relu; x * clip(x + 3, 0, 6) / 6 is nn.hard_swish; x * sigmoid(x) is nn.silu;
// x * (1 + erf(x / sqrt 2)) / 2 is nn.gelu.
const std::vector<Rule>& ActivationRules();

// Calls of one operator with the same arguments and attributes become one.
relay::ExprPtr EliminateCommon(const relay::ExprPtr& root);

}  // namespace hone
