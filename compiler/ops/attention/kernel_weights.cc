#include "compiler/ops/attention/kernel_weights.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/math.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/relay/op.h"

namespace hone {
namespace {

constexpr int64_t kScoreBytes = AttentionWorkspace::kBytes;
constexpr int64_t kLookedAt = 32;  // keys of a mask that are read together

}  // namespace

AttentionWeights::AttentionWeights(KernelBuilder& builder, const AttentionParts& parts, bool zeroes_nan,
                                   const MatmulShape& scores, const MatmulShape& values,
                                   const AttentionWorkspace& space, const KeyPacker& packer, Evaluator& evaluator,
                                   Value* workspace)
    : b_(builder),
      parts_(parts),
      zeroes_nan_(zeroes_nan),
      s_(scores),
      v_(values),
      space_(space),
      packer_(packer),
      evaluator_(evaluator),
      workspace_(workspace),
      masks_(MasksOf(parts.softmax->args[0])) {}

std::vector<const relay::Call*> AttentionWeights::MasksOf(const relay::ExprPtr& softmax_operand) {
  std::vector<const relay::Call*> masks;
  const relay::Call* where = relay::AsCallTo(softmax_operand, "where");
  for (; where != nullptr; where = relay::AsCallTo(where->args[1], "where")) {
    const bool has_fill = ElementCount(TensorTypeOf(where->args[2]).shape) == 1;
    if (!has_fill || TensorTypeOf(where->args[1]).shape != where->type->shape) break;
    // A condition that is the same for all queries is that of the number of keys, or costs little.
    const Shape& condition = TensorTypeOf(where->args[0]).shape;
    if (condition.size() >= 2 && condition.back() == where->type->shape.back() && *(condition.end() - 2) > 1) {
      masks.push_back(where);
    }
  }
  return masks;
}

Value* AttentionWeights::KeysSeen(Value* product, Value* query, Value* rows) {
  Value* needed = packer_.keys_needed();
  if (packer_.needs_all_keys()) return needed;
  Value* most = needed;
  for (const relay::Call* mask : masks_) {
    Value* seen =
        b_.Loop(b_.Index(0), rows, 1, {packer_.InWholeVectors(b_.Index(1))}, [&](Value* row, const Vals& before) {
          return Vals{LastSeen(*mask, PointOf(product, b_.Add(query, row)), before[0], most)};
        })[0];
    Coordinates origin(mask->type->shape.size(), At(b_, 0));
    Value* fill = Argument(evaluator_, *mask, 2, origin, kScalar);
    Value* hides = b_.ir().CreateFCmpOEQ(fill, llvm::ConstantFP::getInfinity(fill->getType(), true));
    needed = b_.ir().CreateSelect(hides, b_.Min(needed, seen), needed);
  }
  return needed;
}

// The end of the last vector of keys with one that the query at `point` sees; at least `least`, at most `most`.
Value* AttentionWeights::LastSeen(const relay::Call& mask, Coordinates point, Value* least, Value* most) {
  auto& ir = b_.ir();
  for (const int64_t step : {kLookedAt, int64_t{b_.lanes()}}) {
    if (step > s_.N) continue;
    const auto is_dark = [&](const Vals& end) {
      Value* first = b_.Add(end[0], -step);
      Value* is_far = ir.CreateICmpSGE(first, least);
      point.back() = {b_.Max(first, b_.Index(0)), 1};
      const int count = static_cast<int>(step);
      Value* sees = Argument(evaluator_, mask, 0, point, {count, count});
      Value* any = ir.CreateOrReduce(ir.CreateICmpNE(sees, llvm::Constant::getNullValue(sees->getType())));
      return ir.CreateAnd(is_far, ir.CreateNot(any));
    };
    most = LoopWhile(b_, {most}, is_dark, [&](const Vals& end) { return Vals{b_.Add(end[0], -step)}; })[0];
  }
  return most;
}

void AttentionWeights::Exponentials(Value* product, Value* query, Value* row, Value* keys) {
  Value* line = ScoreRow(row);
  const auto at = [&](const Coordinate& key) { return b_.At(line, b_.Mul(key.base, kScoreBytes)); };
  const DType stored = v_.types.data;
  Coordinates point = PointOf(product, query);
  const bool plain = parts_.softmax->args[0] == parts_.scores;
  Fold largest{FoldKind::kMaxOfNumbers, b_.f32(), [&](Value* most, const Coordinate& key, Lanes lanes) {
                 Value* score = b_.Load(at(key), lanes.count);
                 if (!plain) {
                   point.back() = key;
                   evaluator_.SetKnown(parts_.scores.get(), score);
                   score = evaluator_.Eval(parts_.softmax->args[0], point, lanes);
                   evaluator_.ClearKnown();
                   b_.Store(score, at(key));
                 }
                 return FoldPair(b_, FoldKind::kMaxOfNumbers, most, score);
               }};
  largest.once = true;
  Value* most = FoldKeys(largest, keys);
  Fold exponentials{FoldKind::kSum, b_.f32(), [&](Value* part, const Coordinate& key, Lanes lanes) {
                      Value* score = b_.Load(at(key), lanes.count);
                      Value* weight = EmitExpOfNegative(b_, b_.FSub(score, b_.Splat(most, lanes.count)));
                      Value* place = b_.At(line, b_.Mul(key.base, Bytes(stored)));
                      b_.Store(Converted(b_, weight, DType::kFloat32, stored), place);
                      return b_.FAdd(part, weight);
                    }};
  exponentials.once = true;
  Value* sum = FoldKeys(exponentials, keys);
  if (zeroes_nan_) sum = ZeroNanRow(line, sum);
  b_.Store(b_.FDiv(llvm::ConstantFP::get(sum->getType(), 1), sum), InverseAt(row));
}

// Makes the weights of a row without a positive sum zeros, and returns 1 for it; else the sum. One NaN among a row's
// scores makes the row's whole softmax NaN. Without any key the sum is 0.
Value* AttentionWeights::ZeroNanRow(Value* line, Value* sum) {
  Value* zero = llvm::ConstantFP::get(sum->getType(), 0);
  Value* is_nan = b_.ir().CreateFCmpULE(sum, zero);
  b_.If(is_nan, [&] { packer_.Zero(line, space_.score_row); });
  return b_.ir().CreateSelect(is_nan, llvm::ConstantFP::get(sum->getType(), 1), sum);
}

Value* AttentionWeights::FoldKeys(const Fold& fold, Value* keys) const {
  return packer_.needs_all_keys() ? FoldAlong(b_, fold, s_.N) : FoldAlongUntil(b_, fold, s_.N, keys);
}

// A query in the softmax's coordinates: those of its product, its own, and a key to be filled in.
Coordinates AttentionWeights::PointOf(Value* product, Value* query) const {
  const Shape& shape = parts_.softmax->type->shape;
  Coordinates point(shape.size());
  for (size_t axis = shape.size() - 2; axis-- > 0; product = b_.Div(product, shape[axis])) {
    point[axis] = At(axis == 0 ? product : b_.Mod(product, shape[axis]));
  }
  point[shape.size() - 2] = At(query);
  return point;
}

}  // namespace hone
