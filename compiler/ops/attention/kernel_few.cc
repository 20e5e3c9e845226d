// The scores of three heads and four keys. Each box is a register; the twelve sums stay in registers over a key's row.
//
//            key 0     key 1     key 2     key 3        one vector of each row at a time
//   head 0   | sum |   | sum |   | sum |   | sum |  ->  lanes added up: four scores of head 0
//   head 1   | sum |   ..                           ->  four scores of head 1
//   head 2   | sum |   ..
//
// The products with the values have the same heads as rows of a register tile.
#include "compiler/ops/attention/kernel_few.h"

#include <algorithm>
#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kNumberBytes = AttentionWorkspace::kBytes;
constexpr int kKeyQuad = 4;        // keys whose scores are stored together
constexpr int64_t kMostHeads = 3;  // heads whose sums of four keys leave registers for a key and the queries
constexpr int kSumRegisters = 12;  // registers for sums

// The sums of the lanes of four vectors, as one vector of four.
//
//   a0 a1 a2 a3 .., b0 b1 b2 b3 ..   ->   a0+a2 b0+b2 a1+a3 b1+b3 ..   ->   sums of a, b, c, d of each four lanes
Value* SumsOfLanes(KernelBuilder& b, const Vals& four) {
  auto& ir = b.ir();
  const int lanes = LaneCount(four[0]);
  const auto added = [&](Value* x, Value* y, const std::vector<int>& low, const std::vector<int>& high) {
    std::vector<int> first, second;
    for (int quad = 0; quad < lanes; quad += kKeyQuad) {
      for (int i = 0; i < kKeyQuad; ++i) {
        first.push_back(Nth(low, i) % kKeyQuad + quad + (Nth(low, i) < kKeyQuad ? 0 : lanes));
        second.push_back(Nth(high, i) % kKeyQuad + quad + (Nth(high, i) < kKeyQuad ? 0 : lanes));
      }
    }
    return b.FAdd(ir.CreateShuffleVector(x, y, first), ir.CreateShuffleVector(x, y, second));
  };
  Value* ab = added(four[0], four[1], {0, 4, 1, 5}, {2, 6, 3, 7});
  Value* cd = added(four[2], four[3], {0, 4, 1, 5}, {2, 6, 3, 7});
  Value* sums = added(ab, cd, {0, 1, 4, 5}, {2, 3, 6, 7});
  for (int width = lanes / 2; width >= kKeyQuad; width /= 2) {
    std::vector<int> low, high;
    for (int i = 0; i < width; ++i) {
      low.push_back(i);
      high.push_back(width + i);
    }
    sums = b.FAdd(ir.CreateShuffleVector(sums, low), ir.CreateShuffleVector(sums, high));
  }
  return sums;
}

}  // namespace

int64_t HeadsTogether(const AttentionParts& parts, int64_t products, bool matrix_tiles) {
  const int64_t heads = parts.products_per_keys;
  const bool together = parts.key_count >= 0 && !matrix_tiles && parts.products_per_values == heads;
  return together && products % heads == 0 ? heads : 1;
}

FewQueries::FewQueries(KernelBuilder& builder, const AttentionParts& parts, const MatmulShape& scores,
                       const MatmulShape& values, const AttentionWorkspace& space, const KeyPacker& packer,
                       AttentionWeights& weights, const MatmulOperand& queries, const MatmulOperand& keys,
                       const MatmulOperand& out, int64_t heads)
    : b_(builder),
      parts_(parts),
      s_(scores),
      v_(values),
      space_(space),
      packer_(packer),
      weights_(weights),
      queries_(queries),
      keys_(keys),
      out_(out),
      heads_(heads) {}

bool FewQueries::CanRead() const {
  const bool rows = s_.weight.column == 1 && s_.weight.row >= s_.K && s_.data.column == 1;
  return packer_.reads_values() && rows && s_.K % b_.lanes() == 0 && s_.types.weight == DType::kFloat32 &&
         s_.types.data == DType::kFloat32 && v_.types.output == DType::kFloat32 && b_.lanes() >= kKeyQuad;
}

void FewQueries::Emit(Value* first, Value* query) {
  Value* keys = weights_.KeysSeen(first, query, b_.Index(1));
  // A mask may differ from head to head.
  for (int64_t head = 1; head < heads_; ++head) {
    keys = b_.Max(keys, weights_.KeysSeen(b_.Add(first, head), query, b_.Index(1)));
  }
  for (int64_t head = 0; head < heads_; head += kMostHeads) {
    Scores(first, query, head, std::min(kMostHeads, heads_ - head), keys);
  }
  for (int64_t head = 0; head < heads_; ++head) weights_.Exponentials(b_.Add(first, head), query, b_.Index(head), keys);
  for (int64_t head = 0; head < heads_; head += kMostHeads) {
    Products(first, query, head, std::min(kMostHeads, heads_ - head), keys);
  }
}

void FewQueries::Scores(Value* first, Value* query, int64_t head, int64_t heads, Value* keys) {
  Vals rows;
  for (int64_t h = head; h < head + heads; ++h) {
    rows.push_back(b_.At(queries_.Matrix(b_, b_.Add(first, h)), b_.Mul(query, queries_.row)));
  }
  Value* matrix = keys_.Matrix(b_, b_.Div(first, parts_.products_per_keys));
  // Rows of the cache behind the last key may hold anything; scores of theirs are masked.
  Value* all = b_.Min(keys, b_.Index(s_.N));
  const int64_t step = heads == 1 ? 2 * kKeyQuad : kKeyQuad;
  Value* whole = b_.Sub(all, b_.Mod(all, step));
  const auto score = [&](int64_t count) {
    return [&, count](Value* key) { ScoresOfKeys(rows, b_.At(matrix, b_.Mul(key, keys_.row)), key, head, count); };
  };
  b_.For(b_.Index(0), whole, step, score(step));
  b_.For(whole, all, 1, score(1));
}

// The scores of `count` keys, whose first row is at `row`.
void FewQueries::ScoresOfKeys(const Vals& queries, Value* row, Value* first_key, int64_t head, int64_t count) {
  const int lanes = b_.lanes();
  const auto heads = static_cast<int64_t>(queries.size());
  Vals sums(static_cast<size_t>(heads * count), llvm::Constant::getNullValue(b_.VecType(lanes)));
  Vals rows{row};
  for (int64_t i = 1; i < count; ++i) rows.push_back(b_.At(rows.back(), keys_.row));
  for (int64_t k = 0; k < s_.K; k += lanes) {
    Vals x;
    for (Value* query : queries) x.push_back(b_.Load(b_.At(query, k * kNumberBytes), lanes));
    for (int64_t i = 0; i < count; ++i) {
      Value* key = b_.Load(b_.At(Nth(rows, i), k * kNumberBytes), lanes);
      for (int64_t h = 0; h < heads; ++h) {
        Value*& sum = Nth(sums, h * count + i);
        sum = b_.Fma(Nth(x, h), key, sum);
      }
    }
  }
  for (int64_t h = 0; h < heads; ++h) {
    Value* to = b_.At(weights_.ScoreRow(b_.Index(head + h)), b_.Mul(first_key, kNumberBytes));
    if (count == 1) b_.Store(b_.ir().CreateFAddReduce(b_.Float(0), Nth(sums, h)), to);
    for (int64_t i = 0; i + kKeyQuad <= count; i += kKeyQuad) {
      const auto from = sums.begin() + h * count + i;
      b_.Store(SumsOfLanes(b_, {from, from + kKeyQuad}), b_.At(to, i * kNumberBytes));
    }
  }
}

void FewQueries::Products(Value* first, Value* query, int64_t head, int64_t heads, Value* keys) {
  const int64_t lanes = b_.lanes(), columns = std::min(v_.N, kSumRegisters / heads * lanes);
  const MatmulTile tile{v_.types,
                        v_.K,
                        1,
                        static_cast<int>(lanes),
                        b_.Index(space_.score_row),
                        b_.Index(kNumberBytes),
                        b_.Index(v_.weight.column * kNumberBytes),
                        false,
                        b_.Min(packer_.values_depth(), keys)};
  Value* values = packer_.ValuesOf(first);
  Value* weights = weights_.ScoreRow(b_.Index(head));
  for (int64_t column = 0; column < v_.N; column += columns) {
    const int64_t width = std::min(columns, v_.N - column), vectors = width / lanes;
    const Vals sums = tile.Sums(b_, weights, b_.At(values, column * kNumberBytes), {heads, width});
    for (int64_t h = 0; h < heads; ++h) {
      Value* inverse = b_.Splat(b_.Load(weights_.InverseAt(b_.Index(head + h))), static_cast<int>(lanes));
      Value* to = b_.At(out_.Matrix(b_, b_.Add(first, head + h)), b_.Mul(query, out_.row));
      for (int64_t v = 0; v < vectors; ++v) {
        Value* at = b_.At(to, (column + v * lanes) * kNumberBytes);
        b_.Store(b_.FMul(Nth(sums, h * vectors + v), inverse), at);
      }
    }
  }
}

}  // namespace hone
