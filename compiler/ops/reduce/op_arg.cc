// The position of the largest or least element along an axis.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

// Kernels hold positions as float32, which holds every integer only up to here.
constexpr int64_t kMostFloatPositions = int64_t{1} << 24;

Shape ArgReducedShape(Shape shape, const Attrs& attrs) {
  const auto axis = NormalizedAxis(attrs.GetInt("axis"), shape.size());
  if (attrs.GetBool("keepdims")) {
    Nth(shape, axis) = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  return shape;
}

TypePtr ArgType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const int64_t extent = Nth(data.shape, NormalizedAxis(attrs.GetInt("axis"), data.shape.size()));
  if (extent == 0 || extent > kMostFloatPositions) {
    Misfit(fmt::format("an axis of {} elements; it must have 1 to {}", extent, kMostFloatPositions));
  }
  return TensorType(ArgReducedShape(data.shape, attrs), DType::kInt64);
}

// Wins: x is better than `held`; the first NaN is better than all numbers. Ties: x equals `held`.
bool Wins(double x, double held, bool largest) {
  return !std::isnan(held) && (std::isnan(x) || (largest ? x > held : x < held));
}
bool Wins(int64_t x, int64_t held, bool largest) { return largest ? x > held : x < held; }
bool Ties(double x, double held) { return x == held || (std::isnan(x) && std::isnan(held)); }
bool Ties(int64_t x, int64_t held) { return x == held; }

// The position of the winner among `extent` elements; `at` returns the element at a position.
template <typename At>
int64_t Winner(int64_t extent, bool largest, bool last, At at) {
  int64_t best = 0;
  for (int64_t i = 1; i < extent; ++i) {
    if (Wins(at(i), at(best), largest) || (last && Ties(at(i), at(best)))) best = i;
  }
  return best;
}

int64_t Winner(const Tensor& data, int64_t begin, int64_t stride, int64_t extent, bool largest, bool last) {
  if (IsFloat(data.dtype()))
    return Winner(extent, largest, last, [&](int64_t i) { return data.At(begin + i * stride); });
  return Winner(extent, largest, last, [&](int64_t i) { return IntegerAt(data, begin + i * stride); });
}

OpDef ArgOp(std::string name, std::string description, bool largest) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", kOrdered}};
  def.results = {{"positions", DType::kInt64}};
  def.attrs = {{"axis", AttrKind::kInt, int64_t{0}, "the axis that is searched"},
               {"keepdims", AttrKind::kBool, false, "whether the axis stays, with one element"},
               {"select_last_index", AttrKind::kBool, false, "whether the last of equals is meant, not the first"}};
  def.support_level = 4;
  def.pattern = OpPattern::kReduction;
  def.traits.folds = Folds::kAxis;
  def.layout = LayoutRule::kNative;
  def.type_relation = ArgType;
  def.reference = [largest](const Tensors& args, const Attrs& attrs) {
    const Shape& shape = args[0].shape();
    const AxisView view = ViewAxis(shape, NormalizedAxis(attrs.GetInt("axis"), shape.size()));
    Tensor result(DType::kInt64, ArgReducedShape(shape, attrs));
    for (int64_t line = 0; line < result.elements(); ++line) {
      const int64_t begin = line / view.inner * view.extent * view.inner + line % view.inner;
      result.data<int64_t>()[line] =
          Winner(args[0], begin, view.inner, view.extent, largest, attrs.GetBool("select_last_index"));
    }
    return Tensors{result};
  };
  return def;
}

}  // namespace

OpTable ArgReduceOps() {
  return {ArgOp("argmax", "position of the largest element along an axis", true),
          ArgOp("argmin", "position of the least element along an axis", false)};
}

}  // namespace hone::relay
