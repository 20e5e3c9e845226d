// Determinants and inverses of small matrices by elimination, one step per column. Each step takes the row with the
// largest element of its column out of those that are left.
#include <fmt/format.h>

#include <utility>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// Steps are written out, so larger matrices would become thousands of kernels.
constexpr int64_t kLargestMatrix = 64;

// Matrices, batch x rows x columns, in the course of an elimination.
class Elimination {
 public:
  explicit Elimination(const OnnxNodeView& view) : view_(view) {
    const Shape shape = view.InputShape(0);
    if (shape.size() < 2 || shape.back() != shape[shape.size() - 2] || shape.back() < 1 ||
        shape.back() > kLargestMatrix) {
      RefuseNode(fmt::format("its data is {}; square matrices of up to {} rows are supported", ShapeText(shape),
                             kLargestMatrix));
    }
    rows_ = size_ = shape.back();
    batch_ = ElementCount({shape.begin(), shape.end() - 2});
    matrix_ = view.Reshape(view.Input(0), {batch_, size_, size_});
  }

  int64_t size() const { return size_; }
  const ExprPtr& matrix() const { return matrix_; }
  // The row that was taken last, batch x 1 x columns, its first element, batch x 1 x 1, and its number.
  const ExprPtr& row() const { return row_; }
  const ExprPtr& pivot() const { return pivot_; }
  const ExprPtr& place() const { return place_; }

  // Puts columns behind those of the matrix.
  void Append(const ExprPtr& columns) { matrix_ = Joined(matrix_, columns, 2); }

  // Takes the row with the largest first element among the first `left` rows. Clears the first column of the others and
  // drops it.
  void Step(int64_t left) {
    const ExprPtr candidates = view_.Slice(view_.Slice(matrix_, 2, 0, 1), 1, 0, left);
    place_ = view_.Call("argmax", {view_.Call("abs", {candidates})}, {{"axis", int64_t{1}}, {"keepdims", true}});
    row_ = Rows(place_, 1);
    pivot_ = view_.Slice(row_, 2, 0, 1);
    // The other rows in order: those from the taken one on lie one further.
    const ExprPtr places = Positions(rows_ - 1, 1, 3);
    const ExprPtr further = AsDType(view_, view_.Call("greater_equal", {places, place_}), DType::kInt64);
    if (rows_ == 1) return;
    const ExprPtr others = Rows(view_.Call("add", {places, further}), rows_ - 1);
    // A pivot of 0 means a column of zeros, which needs no elimination.
    const ExprPtr divisor =
        view_.Call("where", {WithScalar(view_, "equal", pivot_, 0), ScalarLike(view_, pivot_, 1), pivot_});
    const ExprPtr factors = view_.Call("divide", {view_.Slice(others, 2, 0, 1), divisor});
    const int64_t columns = Columns();
    const ExprPtr cleared = view_.Call("multiply", {factors, view_.Slice(row_, 2, 1, columns)});
    if (columns > 1) matrix_ = view_.Call("subtract", {view_.Slice(others, 2, 1, columns), cleared});
    --rows_;
  }

  // Puts a row below the others.
  void PutBack(const ExprPtr& row) {
    matrix_ = rows_ == 0 || size_ == 1 ? row : Joined(matrix_, row, 1);
    ++rows_;
  }

  int64_t Columns() const { return view_.builder().ShapeOf(matrix_)[2]; }

 private:
  ExprPtr Joined(const ExprPtr& a, const ExprPtr& b, int64_t axis) const {
    return view_.builder().CallOnTuple("concatenate", {a, b}, {{"axis", axis}});
  }
  // The rows with these numbers, batch x count x 1.
  ExprPtr Rows(const ExprPtr& numbers, int64_t count) const {
    const ExprPtr all = view_.Call("broadcast_to", {AsDType(view_, numbers, DType::kInt64)},
                                   {{"shape", Shape{batch_, count, Columns()}}});
    return view_.Call("gather", {matrix_, all}, {{"axis", int64_t{1}}});
  }

  const OnnxNodeView& view_;
  int64_t size_ = 0, rows_ = 0, batch_ = 0;
  ExprPtr matrix_, row_, pivot_, place_;
};

// The product of the pivots. Taking row p out from above the others changes the sign p times.
std::vector<ExprPtr> Det(const OnnxNodeView& view) {
  Elimination elimination(view);
  ExprPtr product;
  for (int64_t left = elimination.size(); left > 0; --left) {
    elimination.Step(left);
    const ExprPtr odd = WithScalar(view, "bitwise_and", AsDType(view, elimination.place(), DType::kInt64), 1);
    const ExprPtr sign =
        WithScalar(view, "add", WithScalar(view, "multiply", AsDType(view, odd, DType::kFloat32), -2), 1);
    const ExprPtr signed_pivot = view.Call("multiply", {elimination.pivot(), sign});
    product = product == nullptr ? signed_pivot : view.Call("multiply", {product, signed_pivot});
  }
  const Shape shape = view.InputShape(0);
  return {view.Reshape(product, {shape.begin(), shape.end() - 2})};
}

// Gauss and Jordan: the identity behind the matrix becomes the inverse. A row that was taken goes to the bottom, so
// that in the end the rows are in the order of the columns.
std::vector<ExprPtr> Inverse(const OnnxNodeView& view) {
  Elimination elimination(view);
  const Shape shape = view.InputShape(0);
  const int64_t size = elimination.size(), batch = ElementCount({shape.begin(), shape.end() - 2});
  Tensor identity(DType::kFloat32, {1, size, size});
  for (int64_t i = 0; i < size; ++i) identity.Set(i * size + i, 1);
  elimination.Append(
      view.Call("broadcast_to", {relay::MakeConstant(std::move(identity))}, {{"shape", Shape{batch, size, size}}}));
  for (int64_t left = size; left > 0; --left) {
    const int64_t columns = elimination.Columns();
    elimination.Step(left);
    elimination.PutBack(view.Call("divide", {view.Slice(elimination.row(), 2, 1, columns), elimination.pivot()}));
  }
  return {view.Reshape(elimination.matrix(), shape)};
}

}  // namespace

OnnxOperatorTable EliminationOperators() {
  const OnnxOutcome det{.becomes =
                            "abs add argmax bitwise_and broadcast_to cast divide equal gather greater_equal multiply "
                            "reshape strided_slice subtract where"};
  const OnnxOutcome inverse{
      .becomes =
          "abs add argmax broadcast_to cast concatenate divide equal gather greater_equal multiply reshape "
          "strided_slice subtract where"};
  return {{"Det", 1, 1, Det, {}, det}, {"Inverse", 1, 1, Inverse, {}, inverse, kMicrosoft}};
}

}  // namespace hone
