// The best elements along an axis, and their positions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

// Kernels hold positions in 31 bits.
constexpr int64_t kMostTopKPositions = INT32_MAX;

Shape TopKShape(Shape shape, const Attrs& attrs) {
  Nth(shape, NormalizedAxis(attrs.GetInt("axis"), shape.size())) = attrs.GetInt("k");
  return shape;
}

TypePtr TopKType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  if (data.shape.empty()) Misfit("data has no axis");
  const int64_t k = attrs.GetInt("k"),
                extent = Nth(data.shape, NormalizedAxis(attrs.GetInt("axis"), data.shape.size()));
  if (k < 1 || k > extent || extent > kMostTopKPositions) {
    Misfit(fmt::format("k is {}, the axis has {}; k must be 1 to that, and that at most {}", k, extent,
                       kMostTopKPositions));
  }
  const Shape shape = TopKShape(data.shape, attrs);
  return TupleType({TensorType(shape, data.dtype), TensorType(shape, DType::kInt64)});
}

// Copies the bits, because a double does not hold every int64.
void CopyElement(const Tensor& from, int64_t i, Tensor& to, int64_t j) {
  const int64_t bytes = DTypeBytes(from.dtype());
  std::memcpy(static_cast<char*>(to.raw()) + j * bytes, static_cast<const char*>(from.raw()) + i * bytes,
              static_cast<size_t>(bytes));
}

template <typename T>
bool Better(T x, T y, bool ascending) {
  if (x != x || y != y) return x != x && y == y;  // NaN comes first
  return ascending ? x < y : x > y;
}

Tensors TopK(const Tensors& args, const Attrs& attrs) {
  const Tensor& data = args[0];
  const AxisView view = ViewAxis(data.shape(), NormalizedAxis(attrs.GetInt("axis"), data.shape().size()));
  const int64_t k = attrs.GetInt("k");
  const bool ascending = attrs.GetBool("is_ascend");
  const Shape shape = TopKShape(data.shape(), attrs);
  Tensors results{Tensor(data.dtype(), shape), Tensor(DType::kInt64, shape)};
  std::vector<int64_t> order(static_cast<size_t>(view.extent));
  for (int64_t line = 0; line < view.outer * view.inner; ++line) {
    const int64_t outer = line / view.inner, inner = line % view.inner;
    const auto from = [&](int64_t i) { return (outer * view.extent + i) * view.inner + inner; };
    const auto better = [&](int64_t a, int64_t b) {
      return IsFloat(data.dtype()) ? Better(data.At(from(a)), data.At(from(b)), ascending)
                                   : Better(IntegerAt(data, from(a)), IntegerAt(data, from(b)), ascending);
    };
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), better);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t to = (outer * k + i) * view.inner + inner, winner = Nth(order, i);
      CopyElement(data, from(winner), results[0], to);
      results[1].data<int64_t>()[to] = winner;
    }
  }
  return results;
}

}  // namespace

OpTable TopKOps() {
  OpDef def;
  def.name = "topk";
  def.description = "the k largest or least elements along an axis, best first, and their positions";
  def.inputs = {{"data", "any shape", kKernelFloat | kWhole | DType::kBool}};
  def.results = {{"values", ElementRule::Like(0)}, {"positions", DType::kInt64}};
  def.attrs = {{"k", AttrKind::kInt, int64_t{1}, "how many"},
               {"axis", AttrKind::kInt, int64_t{-1}, "the axis that is searched"},
               {"is_ascend", AttrKind::kBool, false, "the least first, not the largest"}};
  def.support_level = 6;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = TopKType;
  def.reference = TopK;
  return {def};
}

}  // namespace hone::relay
