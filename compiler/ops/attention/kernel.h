// Attention as one kernel: softmax(f(queries x keys)) x values. It takes some queries at a time, so that the scores of
// all queries are never in memory together.
//
//    queries --+
//               batch_matmul -> f -> softmax --+
//    keys -----+                                batch_matmul -> result
//    values -----------------------------------+
#pragma once

#include <string>
#include <string_view>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/machine/required_features.h"
#include "core/workload.h"

namespace hone {

class KernelBuilder;

// The note that Fuse puts on a function made of an attention. Its body is an nn.batch_matmul of values and the weights
// of each query's keys. The weights are a softmax along the last axis. Its operand is a second nn.batch_matmul, of
// queries and keys, perhaps with elementwise operators around it. Reshapes may stand between them, and transposes next
// to the products' operands and result. Where the softmax of a row is NaN, a `where` behind it may put zeros.
//
// Each product is of float32 or of two matrices of bfloat16. For bfloat16 the weights are rounded before they are
// divided by their sum. The result may be rounded to bfloat16.
struct Attention : relay::Note {
  Workload scores;  // B x queries x keys
  Workload values;  // its data are the weights, dense
  // The softmax's operand is where(position < n, x, -infinity), with positions along the keys and an int64 scalar n.
  bool counts_keys = false;
  // The weights are where(w != w, 0, w) of the softmax w: rows of NaN, of queries that see no key, become zeros.
  bool zeroes_nan = false;
  double Flops() const { return scores.Flops() + values.Flops(); }  // for both products
  // Prints "attention" with the workload of the scores.
  relay::Attrs Printed() const override;
};

// The note of an attention; null for any other function. It lives as long as the function.
const Attention* AttentionOf(const relay::Function& function);

// The softmax of a function that has an AttentionOf.
const relay::Call& AttentionSoftmax(const relay::Function& function);

// The function must have an AttentionOf. A work item is a block of queries of one product. A worker packs the keys and
// values of a product once for all its successive blocks. Its workspace grows with the keys, not with queries times
// keys. The workspace keeps scores as summed, then the exponentials of scores minus their largest. The sum of these
// divides the product with the values. The order of every sum depends only on shapes and machine.
EmittedKernel EmitAttention(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
