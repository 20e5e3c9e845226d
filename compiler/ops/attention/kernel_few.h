// An attention of one query of each head, for decoding: keys and values are read where they lie, once for all heads
// that share them.
#pragma once

#include <functional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/ops/attention/kernel_pack.h"
#include "compiler/ops/attention/kernel_plan.h"
#include "compiler/ops/attention/kernel_weights.h"
#include "compiler/schedules/matmul/matmul_shape.h"

namespace hone {

// The heads of a work item: those that share keys and values where a run counts its keys, else one.
int64_t HeadsTogether(const AttentionParts& parts, int64_t products, bool matrix_tiles);

// Emits code. All references must outlive the object.
class FewQueries {
 public:
  FewQueries(KernelBuilder& builder, const AttentionParts& parts, const MatmulShape& scores, const MatmulShape& values,
             const AttentionWorkspace& space, const KeyPacker& packer, AttentionWeights& weights,
             const MatmulOperand& queries, const MatmulOperand& keys, const MatmulOperand& out, int64_t heads);

  // Whether the operands are float32, a key is one row of whole vectors, and so is a value.
  bool CanRead() const;
  // The result of the query for the heads from the product number `first` on.
  void Emit(Value* first, Value* query);

 private:
  void Scores(Value* first, Value* query, int64_t head, int64_t heads, Value* keys);
  void ScoresOfKeys(const Vals& queries, Value* key, Value* first_key, int64_t head, int64_t count);
  void Products(Value* first, Value* query, int64_t head, int64_t heads, Value* keys);

  KernelBuilder& b_;
  const AttentionParts& parts_;
  const MatmulShape &s_, &v_;
  const AttentionWorkspace& space_;
  const KeyPacker& packer_;
  AttentionWeights& weights_;
  const MatmulOperand &queries_, &keys_, &out_;
  const int64_t heads_;
};

}  // namespace hone
