// The weights of an attention's queries, in a worker's workspace, and the keys that queries may see.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/ops/attention/kernel_pack.h"
#include "compiler/ops/attention/kernel_plan.h"
#include "compiler/relay/expr.h"
#include "compiler/schedules/matmul/matmul_shape.h"

namespace hone {

// Emits code. All references must outlive the object.
class AttentionWeights {
 public:
  AttentionWeights(KernelBuilder& builder, const AttentionParts& parts, bool zeroes_nan, const MatmulShape& scores,
                   const MatmulShape& values, const AttentionWorkspace& space, const KeyPacker& packer,
                   Evaluator& evaluator, Value* workspace);

  // Of a row of scores, and of the number 1 / sum of its weights.
  Value* ScoreRow(Value* row) const { return b_.At(b_.At(workspace_, space_.scores), b_.Mul(row, space_.score_row)); }
  Value* InverseAt(Value* row) const { return b_.At(b_.At(workspace_, space_.inverse), b_.Mul(row, 4)); }

  // The first keys beyond which none of `rows` queries sees one, in whole vectors, if a run counts its keys. Masks such
  // as where(position of the key <= position of the query, x, -infinity) tell: they are read from the last key back.
  Value* KeysSeen(Value* product, Value* query, Value* rows);
  // Replaces the scores of a query with `keys` keys, in row number `row`, by its weights, as in ops/softmax/kernel.cc
  // but not divided by their sum.
  void Exponentials(Value* product, Value* query, Value* row, Value* keys);

 private:
  static std::vector<const relay::Call*> MasksOf(const relay::ExprPtr& softmax_operand);
  Value* LastSeen(const relay::Call& mask, Coordinates point, Value* least, Value* most);
  Value* ZeroNanRow(Value* line, Value* sum);
  Value* FoldKeys(const Fold& fold, Value* keys) const;
  Coordinates PointOf(Value* product, Value* query) const;

  KernelBuilder& b_;
  const AttentionParts& parts_;
  const bool zeroes_nan_;
  const MatmulShape &s_, &v_;
  const AttentionWorkspace& space_;
  const KeyPacker& packer_;
  Evaluator& evaluator_;
  Value* const workspace_;
  // Calls where(condition, x, fill) around the scores; a condition of each query and key, one fill.
  const std::vector<const relay::Call*> masks_;
};

}  // namespace hone
