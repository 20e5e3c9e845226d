// Attention as one kernel: softmax(f(queries x keys)) x values, some queries at a time, so that the scores of all of
// them are never in memory.
#pragma once

#include <string>
#include <string_view>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/required_features.h"
#include "core/workload.h"

namespace hone {

class KernelBuilder;

// The note of a function that Fuse made of an attention. Its body is an nn.batch_matmul of a softmax along the last
// axis (the weights of a query's keys) and values; the softmax is of elementwise operators, or none, around a
// second nn.batch_matmul, of queries and keys. Reshapes may stand between them, and transposes next to what the
// products read and write. Each product is of float32 or of two matrices of bfloat16, to which the weights are then
// rounded, before they are divided by their sum; the result may be rounded to bfloat16.
struct Attention : relay::Note {
  Workload scores;                                                  // B x queries x keys
  Workload values;                                                  // its data are the weights, dense
  double Flops() const { return scores.Flops() + values.Flops(); }  // of both products
  // "attention" with the workload of the scores.
  relay::Attrs Printed() const override;
};

// Null for a function that is none. It lives as long as the function.
const Attention* AttentionOf(const relay::Function& function);

// The function must have an AttentionOf. An item is a block of queries of one product; a worker packs the keys and the
// values of the product once for all its blocks in turn. A worker's workspace grows with the keys, not with queries
// times keys. Scores are kept as they are summed, exponentials are made of them minus their largest, and the sums of
// these divide the products with values: the order of every sum depends on shapes and machine alone.
EmittedKernel EmitAttention(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
