#include <cstring>
#include <optional>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

// Smaller outputs are copied from the first cache.
constexpr int64_t kLeastBytes = 32 << 10;
// Bytes of an output for each byte that its kernel reads.
constexpr int64_t kLeastSaved = 16;

int64_t BytesBehind(const Tensor& value, size_t axis) {
  const Shape& shape = value.shape();
  return ElementCount({shape.begin() + static_cast<int64_t>(axis) + 1, shape.end()}) * DTypeBytes(value.dtype());
}

const char* RawBytes(const Tensor& value) { return static_cast<const char*>(value.raw()); }

// Whether all positions along the axis hold the same.
bool Repeats(const Tensor& value, size_t axis) {
  const int64_t each = BytesBehind(value, axis), extent = value.shape()[axis], line = each * extent;
  for (const char *at = RawBytes(value), *end = at + value.size_bytes(); at < end; at += line) {
    for (int64_t i = 1; i < extent; ++i) {
      if (std::memcmp(at, at + i * each, static_cast<size_t>(each)) != 0) return false;
    }
  }
  return true;
}

// The first position along the axis.
Tensor FirstAlong(const Tensor& value, size_t axis) {
  const int64_t each = BytesBehind(value, axis), line = each * value.shape()[axis];
  Shape shape = value.shape();
  shape[axis] = 1;
  Tensor first(value.dtype(), shape);
  for (int64_t i = 0; i < first.size_bytes() / each; ++i) {
    std::memcpy(static_cast<char*>(first.raw()) + i * each, RawBytes(value) + i * line, static_cast<size_t>(each));
  }
  return first;
}

// A matrix that has one number where column - row is `from` or, unless it is a line, more; elsewhere another one.
//
//    from = 1, a line    0 1 0 0         from = 0    1 1 1 1
//                        0 0 1 0                     0 1 1 1
//                        0 0 0 1                     0 0 1 1
struct Band {
  int64_t from = 0;
  bool line = false;
  Tensor inside, outside;  // scalars
};

// The element at each column - row, from the last row's first column to the first row's last; nullopt if they differ
// along a diagonal. The axes before the last two have one position.
std::optional<std::vector<const char*>> Diagonals(const Tensor& matrix) {
  const int64_t columns = matrix.shape().back(), rows = matrix.elements() / columns, each = DTypeBytes(matrix.dtype());
  const auto at = [&](int64_t row, int64_t column) { return RawBytes(matrix) + (row * columns + column) * each; };
  for (int64_t row = 1; row < rows; ++row) {
    if (std::memcmp(at(row, 1), at(row - 1, 0), static_cast<size_t>((columns - 1) * each)) != 0) return std::nullopt;
  }
  std::vector<const char*> diagonals;
  for (int64_t row = rows - 1; row > 0; --row) diagonals.push_back(at(row, 0));
  for (int64_t column = 0; column < columns; ++column) diagonals.push_back(at(0, column));
  return diagonals;
}

Tensor ScalarAt(const Tensor& of, const char* element) {
  Tensor scalar(of.dtype(), {});
  std::memcpy(scalar.raw(), element, static_cast<size_t>(DTypeBytes(of.dtype())));
  return scalar;
}

std::optional<Band> BandOf(const Tensor& matrix) {
  const Shape& shape = matrix.shape();
  if (shape.size() < 2 || shape[shape.size() - 2] * shape.back() != matrix.elements()) return {};
  const auto diagonals = Diagonals(matrix);
  if (!diagonals) return {};
  const auto each = static_cast<size_t>(DTypeBytes(matrix.dtype()));
  std::vector<size_t> changes;
  for (size_t i = 1; i < diagonals->size(); ++i) {
    if (std::memcmp((*diagonals)[i], (*diagonals)[i - 1], each) != 0) changes.push_back(i);
    if (changes.size() > 2) return {};
  }
  const bool line = changes.size() == 2 && changes[1] == changes[0] + 1 &&
                    std::memcmp(diagonals->front(), diagonals->back(), each) == 0;
  if (changes.size() != 1 && !line) return {};
  const int64_t rows = shape[shape.size() - 2];
  return Band{static_cast<int64_t>(changes[0]) - (rows - 1), line, ScalarAt(matrix, (*diagonals)[changes[0]]),
              ScalarAt(matrix, diagonals->front())};
}

ExprPtr Positions(const Shape& shape, int64_t from) {
  Tensor positions(DType::kInt32, shape);
  for (int64_t i = 0; i < positions.elements(); ++i) SetInteger(positions, i, from + i);
  return relay::MakeConstant(positions);
}

// Integers, because a comparison of floats looks at the bits of denormals.
ExprPtr ComputedBand(const Band& band, const Shape& shape) {
  Shape rows(shape.size(), 1);
  rows[shape.size() - 2] = shape[shape.size() - 2];
  const ExprPtr row = Positions(rows, band.from), column = Positions({shape.back()}, 0);
  const ExprPtr here = TypedCall(band.line ? "equal" : "greater_equal", {column, row});
  return TypedCall("where", {here, relay::MakeConstant(band.inside), relay::MakeConstant(band.outside)});
}

ExprPtr ComputedOutput(const ExprPtr& output) {
  const relay::Constant* constant = relay::AsConstant(output);
  if (constant == nullptr || constant->value.size_bytes() < kLeastBytes) return output;
  Tensor value = constant->value;
  for (size_t axis = 0; axis < value.shape().size(); ++axis) {
    if (value.shape()[axis] > 1 && Repeats(value, axis)) value = FirstAlong(value, axis);
  }
  ExprPtr smaller = relay::MakeConstant(value, constant->name);
  if (kLeastSaved * value.size_bytes() > constant->value.size_bytes()) {
    const std::optional<Band> band = BandOf(value);
    if (!band) return output;
    smaller = ComputedBand(*band, value.shape());
  }
  const Shape& shape = constant->value.shape();
  return ShapeOf(smaller) == shape ? smaller : TypedCall("broadcast_to", {smaller}, {{"shape", shape}}, constant->name);
}

}  // namespace

relay::IRModule ComputedOutputs(const relay::IRModule& module) {
  const ExprPtr& body = module.main->body;
  const relay::Tuple* tuple = relay::AsTuple(body);
  if (tuple == nullptr) {
    const ExprPtr now = ComputedOutput(body);
    return now == body ? module : WithBody(module, now);
  }
  std::vector<ExprPtr> fields;
  for (const ExprPtr& field : tuple->fields) fields.push_back(ComputedOutput(field));
  return fields == tuple->fields ? module : WithBody(module, TypedTuple(std::move(fields)));
}

}  // namespace hone
