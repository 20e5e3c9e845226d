// The register tile of 3 rows and a panel of two vectors. A box is a register of `lanes` columns:
//
//                            w(0)        w(1)        panel[k], neighbouring columns
//   x(0): data[row    ][k]   acc[0][0]   acc[0][1]
//   x(1): data[row + 1][k]   acc[1][0]   acc[1][1]
//   x(2): data[row + 2][k]   acc[2][0]   acc[2][1]
#include "compiler/schedules/matmul/matmul_tile.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/across_lanes.h"
#include "compiler/schedules/matmul/packed_panel.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr uint32_t kStepOfOnes = 0x01010101;

Value* LoadStep(KernelBuilder& b, const ElementTypes& types, DType stored, Value* ptr, int lanes) {
  if (DotGroup(types) > 1) return LoadElements(b, StepType(types), ptr, lanes);
  return LoadConverted(b, stored, ptr, lanes, types.accumulator);
}

// The first `count` bytes of a step as ones.
Value* Ones(KernelBuilder& b, int count) {
  return b.ir().getInt32(count == kDotGroup ? kStepOfOnes : kStepOfOnes & ((1U << (8 * count)) - 1));
}

// The weights of a step, one vector after the other.
class StepWeights {
 public:
  // `count`: neighbours along K in the step at `step`.
  StepWeights(KernelBuilder& b, const MatmulTile& tile, TileSize size, Value* step, int count)
      : b_(b), t_(tile), size_(size), step_(step), count_(count) {}

  Value* Next(int vector) {
    const int64_t column = t_.FirstColumn(size_, vector);
    if (t_.weight_k == nullptr) {
      return LoadStep(b_, t_.types, t_.types.weight, b_.At(step_, Bytes(StepType(t_.types), column)), t_.lanes);
    }
    return t_.flips ? FlippedSigns(b_, InPlace(vector, column), count_) : InPlace(vector, column);
  }

 private:
  Value* InPlace(int vector, int64_t column) {
    Value* at = b_.At(step_, Bytes(t_.types.weight, column));
    if (vector >= t_.JoinedVectors(size_)) return LoadJoinedRows(b_, t_.types, at, t_.weight_k, count_, t_.lanes);
    if (vector % 4 == 0) joined_ = LoadJoinedFours(b_, at, t_.weight_k, count_, t_.lanes);
    return Nth(joined_, vector % 4);
  }

  KernelBuilder& b_;
  const MatmulTile& t_;
  TileSize size_;
  Value* step_;
  int count_;
  Vals joined_;
};

// Puts the lanes of the joined vectors of each row in order.
void OrderLanes(KernelBuilder& b, int joined, int vectors, Vals& sums) {
  for (size_t row = 0; row < sums.size(); row += static_cast<size_t>(vectors)) {
    for (int first = 0; first < joined; first += 4) {
      const auto from = sums.begin() + static_cast<int64_t>(row) + first;
      const Vals ordered = InColumnOrder(b, {from, from + 4});
      std::copy(ordered.begin(), ordered.end(), from);
    }
  }
}

struct Reduction {
  Value *lo, *hi;
  int64_t unroll;
  int bytes = 0;  // bytes of data that a short step reads; 0 for a full step
};

Vals Reduce(KernelBuilder& b, const MatmulTile& t, TileSize size, Value* x, Value* w, const Reduction& steps,
            const Vals& start) {
  const auto pixels = static_cast<int>(size.rows), all = pixels + (t.sums_columns ? 1 : 0);
  const RegisterTile registers{all, t.Vectors(size), t.lanes, PartsOf(t.types, b.machine())};
  const int count = steps.bytes > 0 ? steps.bytes : DotGroup(t.types);  // of neighbours along K in a step
  Value* x_apart = b.Mul(t.data_step, DotGroup(t.types));
  return b.Loop(steps.lo, steps.hi, steps.unroll, start, [&](Value* k, const Vals& in) {
    Vals acc = in;
    Vals rows{b.At(x, b.Mul(k, x_apart))};
    for (int p = 1; p < pixels; ++p) rows.push_back(b.At(rows.back(), t.data_row));
    Value* ws = b.At(w, b.Mul(k, t.panel_step));
    for (int64_t u = 0; u < steps.unroll; ++u) {
      StepWeights weights(b, t, size, b.At(ws, b.Mul(t.panel_step, u)), count);
      registers.Step(
          b, acc,
          [&](int p) {
            if (p == pixels) return Ones(b, count);
            Value* at = b.At(Nth(rows, p), b.Mul(x_apart, u));
            if (steps.bytes > 0) return LoadBytesOfStep(b, at, steps.bytes);
            return t.types.whole() ? LoadFours(b, at, 1, t.K) : LoadStep(b, t.types, t.types.data, at, 1);
          },
          [&](int v) { return weights.Next(v); }, StepOf(t.types));
    }
    return acc;
  });
}

}  // namespace

Vals MatmulTile::Sums(KernelBuilder& b, Value* x, Value* w, TileSize size, const Vals& start) const {
  const auto rows = static_cast<int>(size.rows) + (sums_columns ? 1 : 0);
  const RegisterTile registers{rows, Vectors(size), lanes, PartsOf(types, b.machine())};
  Value* steps = depth != nullptr ? b.Div(depth, DotGroup(types)) : b.Index(K / DotGroup(types));
  Value* main = b.Sub(steps, b.Mod(steps, unroll));
  Vals sums = start.empty() ? registers.Zeros(b, types.accumulator) : start;
  sums = Reduce(b, *this, size, x, w, {b.Index(0), main, unroll}, sums);
  sums = Reduce(b, *this, size, x, w, {main, steps, 1}, sums);
  const auto rest = depth != nullptr ? 0 : static_cast<int>(K % DotGroup(types));
  if (rest != 0) sums = Reduce(b, *this, size, x, w, {steps, b.Add(steps, 1), 1, rest}, sums);
  OrderLanes(b, JoinedVectors(size), Vectors(size), sums);
  return sums;
}

Value* LoadFours(KernelBuilder& b, Value* ptr, int lanes, int64_t row) {
  if (row % kDotGroup == 0) return LoadElements(b, DType::kInt32, ptr, lanes);
  return b.ir().CreateBitCast(LoadElements(b, DType::kUInt8, ptr, kDotGroup * lanes), VectorOf(b.i32(), lanes));
}

Value* LoadBytesOfStep(KernelBuilder& b, Value* ptr, int count) {
  auto& ir = b.ir();
  Value* step = nullptr;
  for (int i = 0; i < count; ++i) {
    Value* byte = ir.CreateShl(ir.CreateZExt(LoadElements(b, DType::kUInt8, b.At(ptr, i), 1), b.i32()), 8 * i);
    step = step == nullptr ? byte : ir.CreateOr(step, byte);
  }
  return step;
}

void StoreLanes(KernelBuilder& b, Value* vector, DType type, Value* to, int width) {
  auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
  if (lanes == nullptr || static_cast<int>(lanes->getNumElements()) == width) return b.Store(vector, to);
  for (int lane = 0; lane < width; ++lane) {
    b.Store(b.ir().CreateExtractElement(vector, static_cast<uint64_t>(lane)), b.At(to, Bytes(type, lane)));
  }
}

}  // namespace hone
