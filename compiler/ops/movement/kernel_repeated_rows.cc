#include "compiler/ops/movement/kernel_repeated_rows.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/generic/piece_loops.h"
#include "compiler/ops/movement/kernel_line_lookup.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int kTwoVectors = 8;  // bytes for each float of a vector
// A longer row may have left the nearest cache by the time it is copied.
constexpr int64_t kMostRowBytes = 16384;

// A take of known positions along the axis that is `from_last` axes before the last; null for any other expression.
const relay::Call* KnownTake(const relay::ExprPtr& expr, size_t from_last) {
  const relay::Call* take = relay::AsCallTo(expr, "take");
  if (take == nullptr || !HasPlainPositions(*take) || !take->type->layout.empty()) return nullptr;
  const auto rank = static_cast<int64_t>(take->type->shape.size());
  const int64_t axis = take->attrs.GetInt("axis");
  const bool one_axis = TensorTypeOf(take->args[1]).shape.size() == 1;
  return one_axis && (axis + rank) % rank == rank - 1 - static_cast<int64_t>(from_last) ? take : nullptr;
}

std::vector<uint8_t> RepeatsOf(const relay::Call& take) {
  const Tensor& places = relay::AsConstant(take.args[1])->value;
  const auto* first = places.data<int64_t>();
  std::vector<uint8_t> repeats(static_cast<size_t>(places.elements()), 0);
  for (size_t i = 1; i < repeats.size(); ++i) repeats[i] = first[i] == first[i - 1] ? 1 : 0;
  return repeats;
}

int64_t RowsOfItem(const RepeatedRows& rows) { return std::clamp<int64_t>(kItemElements / rows.columns, 1, rows.rows); }
int64_t RowChunks(const RepeatedRows& rows) { return CeilDiv(rows.rows, RowsOfItem(rows)); }

class RowEmitter {
 public:
  RowEmitter(Evaluator& e, const RepeatedRows& rows) : e_(e), rows_(rows) {
    const int64_t two = int64_t{kTwoVectors} * e.b().lanes() / DTypeBytes(e.Operand(1).dtype);
    lanes_ = static_cast<int>(rows.columns >= two ? two : std::min(rows.columns, std::max<int64_t>(1, two / 2)));
  }

  void Item(Value* item) {
    KernelBuilder& b = e_.b();
    auto* flags = llvm::ConstantDataArray::get(b.ir().getContext(), rows_.repeats);
    Value* repeats = ConstantArray(b, flags);
    Value *plane = b.Div(item, RowChunks(rows_)), *first = b.Mul(b.Mod(item, RowChunks(rows_)), RowsOfItem(rows_));
    b.For(first, b.Min(b.Add(first, RowsOfItem(rows_)), b.Index(rows_.rows)), 1, [&](Value* row) {
      Value* repeated = b.ir().CreateIsNotNull(b.LoadAs(b.ir().getInt8Ty(), b.At(repeats, row)));
      Value* is_later = b.ir().CreateICmpSGT(row, first);
      b.If(b.ir().CreateAnd(is_later, repeated), [&] { Copy(plane, row); }, [&] { Make(plane, row); });
    });
  }

 private:
  void Copy(Value* plane, Value* row) {
    KernelBuilder& b = e_.b();
    const int64_t bytes = Bytes(e_.Operand(1).dtype, rows_.columns);
    Value* to = b.At(e_.Operand(1).base, b.Mul(b.Add(b.Mul(plane, rows_.rows), row), bytes));
    Value* from = b.At(to, -bytes);
    ForLanes(b, 0, bytes, kTwoVectors * b.lanes(), [&](Value* at, Lanes lanes) {
      llvm::Type* vector = VectorOf(b.ir().getInt8Ty(), lanes.valid);
      b.Store(b.LoadAs(vector, b.At(from, at)), b.At(to, at));
    });
  }

  void Make(Value* plane, Value* row) {
    KernelBuilder& b = e_.b();
    Coordinates at = PlaneAt(plane);
    at.push_back(At(row));
    at.emplace_back();
    ForLanes(b, 0, rows_.columns, lanes_, [&](Value* column, Lanes lanes) {
      at.back() = {column, lanes.count > 1 ? 1 : 0};
      StoreOperand(b, e_.Operand(1), at, lanes, e_.Eval(rows_.result, at, lanes));
    });
  }

  Coordinates PlaneAt(Value* plane) {
    KernelBuilder& b = e_.b();
    const Shape& shape = rows_.result->type->shape;
    Coordinates at(shape.size() - 2);
    for (size_t d = at.size(); d-- > 0;) {
      at[d] = At(d == 0 ? plane : b.Mod(plane, shape[d]));
      plane = b.Div(plane, shape[d]);
    }
    return at;
  }

  Evaluator& e_;
  const RepeatedRows& rows_;
  int lanes_ = 1;
};

}  // namespace

std::optional<RepeatedRows> RepeatedRowsOf(const relay::Function& function) {
  const relay::Call* columns = KnownTake(function.body, 0);
  const relay::Call* rows = columns == nullptr ? nullptr : KnownTake(columns->args[0], 1);
  if (rows == nullptr || function.params.size() != 1 || rows->args[0].get() != function.params[0].get()) return {};
  if (!TensorTypeOf(rows->args[0]).layout.empty() || LiesApart(function, 0) || LiesApart(function, 1)) return {};
  const Shape& shape = columns->type->shape;
  RepeatedRows found{function.body, 1, shape[shape.size() - 2], shape.back(), RepeatsOf(*rows)};
  const auto again = std::count(found.repeats.begin(), found.repeats.end(), 1);
  if (ElementCount(shape) == 0 || 4 * again < found.rows) return {};
  if (found.columns * DTypeBytes(columns->type->dtype) > kMostRowBytes) return {};
  found.planes = ElementCount(shape) / (found.rows * found.columns);
  return found;
}

int64_t ItemsOf(const RepeatedRows& rows) { return rows.planes * RowChunks(rows); }

void EmitRepeatedRows(Evaluator& e, const RepeatedRows& rows, Value* begin, Value* end) {
  RowEmitter emitter(e, rows);
  e.Reset();
  e.b().For(begin, end, 1, [&](Value* item) { emitter.Item(item); });
}

}  // namespace hone
