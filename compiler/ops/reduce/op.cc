// Reductions over whole axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

enum class Reduction : uint8_t { kMean, kSum, kProd, kMax, kMin };

std::vector<int64_t> ReducedAxes(const Attrs& attrs, size_t rank) {
  std::vector<int64_t> axes = attrs.GetInts("axis");
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  return NormalizedAxes(axes, rank);
}

// The shape with these axes set to 1.
Shape KeptShape(Shape shape, const std::vector<int64_t>& axes) {
  for (int64_t axis : axes) Nth(shape, axis) = 1;
  return shape;
}

Shape ReducedShape(const Shape& shape, const Attrs& attrs) {
  const std::vector<int64_t> axes = ReducedAxes(attrs, shape.size());
  if (attrs.GetBool("keepdims")) return KeptShape(shape, axes);
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d))) result.push_back(shape[d]);
  }
  return result;
}

TypePtr ReduceType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  return TensorType(ReducedShape(data.shape, attrs), data.dtype);
}

// The value of a reduction without elements; for an integer extremum an end of the type's range.
template <typename T>
T Identity(Reduction reduction, T least, T most) {
  if (reduction == Reduction::kProd) return 1;
  return reduction == Reduction::kMax ? least : reduction == Reduction::kMin ? most : 0;
}

double Joined(Reduction reduction, double value, double x) {
  if (reduction == Reduction::kProd) return value * x;
  if (reduction == Reduction::kMax) return x > value || std::isnan(x) ? x : value;
  if (reduction == Reduction::kMin) return x < value || std::isnan(x) ? x : value;
  return value + x;
}

// Sums and products wrap.
int64_t Joined(Reduction reduction, int64_t value, int64_t x) {
  if (reduction == Reduction::kMax) return std::max(value, x);
  if (reduction == Reduction::kMin) return std::min(value, x);
  const auto a = static_cast<uint64_t>(value), b = static_cast<uint64_t>(x);
  return static_cast<int64_t>(reduction == Reduction::kProd ? a * b : a + b);
}

// One value per element of the result, joined from `at` of the data's elements.
template <typename T, typename At>
std::vector<T> Joins(const Tensor& data, const Attrs& attrs, Reduction reduction, T identity, At at) {
  const Shape kept = KeptShape(data.shape(), ReducedAxes(attrs, data.shape().size()));
  OffsetWalk target = OffsetWalk::Broadcast(kept, data.shape());
  std::vector<T> values(static_cast<size_t>(ElementCount(kept)), identity);
  for (int64_t i = 0; i < data.elements(); ++i) {
    T& value = Nth(values, target.Next());
    value = Joined(reduction, value, at(i));
  }
  return values;
}

Tensor Reduced(const Tensor& data, const Attrs& attrs, Reduction reduction) {
  Tensor result(data.dtype(), ReducedShape(data.shape(), attrs));
  const int64_t count =
      reduction == Reduction::kMean && result.elements() > 0 ? data.elements() / result.elements() : 1;
  if (IsFloat(data.dtype())) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<double> values = Joins(data, attrs, reduction, Identity(reduction, -kInfinity, kInfinity),
                                             [&](int64_t i) { return data.At(i); });
    for (size_t i = 0; i < values.size(); ++i)
      result.Set(static_cast<int64_t>(i), values[i] / static_cast<double>(count));
    return result;
  }
  const IntegerRange range = RangeOf(data.dtype());
  const std::vector<int64_t> values = Joins(data, attrs, reduction, Identity(reduction, range.least, range.most),
                                            [&](int64_t i) { return IntegerAt(data, i); });
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    SetInteger(result, at, values[i]);
    if (reduction == Reduction::kMean) SetInteger(result, at, count == 0 ? 0 : IntegerAt(result, at) / count);
  }
  return result;
}

OpDef ReduceOp(std::string name, std::string description, Reduction reduction, DTypeSet types) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", types}};
  def.attrs = {{"axis", AttrKind::kInts, std::vector<int64_t>{}, "the axes; none given means all"},
               {"keepdims", AttrKind::kBool, false, "whether the axes stay, with one element"}};
  def.support_level = 4;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.traits = {.heads = true, .folds = Folds::kAxis};
  def.type_relation = ReduceType;
  def.reference = [reduction](const std::vector<Tensor>& args, const Attrs& attrs) {
    return std::vector<Tensor>{Reduced(args[0], attrs, reduction)};
  };
  return def;
}

}  // namespace

OpTable ReduceOps() {
  // Sums have the data's type, and bytes would soon wrap.
  constexpr DTypeSet kSummed = kReals | kIndices;
  return {ReduceOp("mean", "arithmetic mean over axes", Reduction::kMean, kSummed),
          ReduceOp("sum", "sum over axes", Reduction::kSum, kSummed),
          ReduceOp("prod", "product over axes", Reduction::kProd, kSummed),
          ReduceOp("max", "largest element over axes; NaN when one is NaN", Reduction::kMax, kOrdered),
          ReduceOp("min", "least element over axes; NaN when one is NaN", Reduction::kMin, kOrdered)};
}

}  // namespace hone::relay
