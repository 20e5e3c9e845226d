// Pass: equivalent expressions take one form, so that later passes need to look for only one pattern.
#pragma once

#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// opt_level 0 applies only the reshape forms, which lowering needs. From 1 on all rules below apply, constants are
// folded and common subexpressions shared.
relay::IRModule Canonicalise(const relay::IRModule& module, int opt_level);

// batch_flatten, squeeze and expand_dims become reshapes.
const std::vector<Rule>& ReshapeRules();
// A reshape of a reshape becomes one, and so does a transpose of a transpose. An operator that changes nothing
// (reshape, cast, pad, transpose, concatenate of one) becomes its input.
const std::vector<Rule>& IdentityRules();
// nn.pad with zeros goes into the padding of nn.conv2d and nn.avg_pool2d. Taps of an nn.conv2d that see only padding
// are removed.
const std::vector<Rule>& PaddingRules();
// An nn.conv2d of adjacent windows, with a weight much larger than the image, becomes a pointwise one of their pixels.
const std::vector<Rule>& PatchRules();
// A large window of nn.max_pool2d or nn.avg_pool2d becomes one of columns, then one of rows.
const std::vector<Rule>& PoolRules();
// Constants come second. nn.conv2d or nn.dense plus a constant per channel becomes nn.bias_add with axis 1. A quotient
// by a power of two, or by a root that many elements share, becomes a product. A small integer power becomes products.
// A mean over H and W becomes nn.global_avg_pool2d.
const std::vector<Rule>& ArithmeticRules();
// A bias, a sum or an activation of a reshaped nn.dense moves before the reshape, where the kernel can fuse it.
const std::vector<Rule>& ProductRules();
// The scales, bias, rounding and bounds of a reshaped dense layer of integers move before the reshape, one value per
// column each.
const std::vector<Rule>& WholeProductRules();
// Transposes next to nn.batch_matmul that leave the last axis in place become transposes of rank 3, which a kernel can
// fuse. One that swaps rows and columns becomes transpose_a or transpose_b. Operands are masked before they are
// transposed. A product with one computed matrix becomes nn.batch_matmul. A number that scales a product much larger
// than one of its operands scales that operand instead. A number that scales the right matrix scales the left one, if
// that is no larger. A repeated right matrix is a reshape of a broadcast of (groups, 1, rows, columns).
const std::vector<Rule>& MatmulRules();
// Heads that share a matrix become rows of one product with it. This is not for modules with runtime extents: a run
// needs the first rows of each head, which are not the first ones of all.
const std::vector<Rule>& SharedMatrixRules();
// A maximum with 0 becomes nn.relu. x * clip(x + 3, 0, 6) / 6 becomes nn.hard_swish; x * sigmoid(x) becomes nn.silu;
// x * (1 + erf(x / sqrt 2)) / 2 becomes nn.gelu.
const std::vector<Rule>& ActivationRules();

// Calls of one operator with the same arguments and attributes become one.
relay::ExprPtr EliminateCommon(const relay::ExprPtr& root);

}  // namespace hone
