// Softmax and its logarithm.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"

namespace hone::relay {
namespace {

TypePtr SoftmaxType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  NormalizedAxis(attrs.GetInt("axis", -1), data.shape.size());
  return args[0];
}

// One line along the axis: `begin` is its first element, `stride` the distance to the next.
void SoftmaxLine(const Tensor& data, int64_t begin, int64_t stride, int64_t extent, bool logarithm, Tensor& result) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < extent; ++i) largest = std::max(largest, data.At(begin + i * stride));
  double sum = 0;
  for (int64_t i = 0; i < extent; ++i) sum += std::exp(data.At(begin + i * stride) - largest);
  for (int64_t i = 0; i < extent; ++i) {
    const double shifted = data.At(begin + i * stride) - largest;
    result.Set(begin + i * stride, logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
  }
}

OpDef SoftmaxOp(std::string name, std::string description, bool logarithm) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", kKernelFloat}};
  def.attrs = {{"axis", AttrKind::kInt, int64_t{-1}, "the axis whose elements sum to one"}};
  def.support_level = 1;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = SoftmaxType;
  def.reference = [logarithm](const std::vector<Tensor>& args, const Attrs& attrs) {
    const Shape& shape = args[0].shape();
    const AxisView view = ViewAxis(shape, NormalizedAxis(attrs.GetInt("axis", -1), shape.size()));
    Tensor result(args[0].dtype(), shape);
    for (int64_t line = 0; line < view.outer * view.inner; ++line) {
      const int64_t begin = line / view.inner * view.extent * view.inner + line % view.inner;
      SoftmaxLine(args[0], begin, view.inner, view.extent, logarithm, result);
    }
    return std::vector<Tensor>{result};
  };
  return def;
}

}  // namespace

OpTable SoftmaxOps() {
  return {SoftmaxOp("nn.softmax", "exp(data) over its sum along an axis", false),
          SoftmaxOp("nn.log_softmax", "logarithm of softmax, computed without underflow", true)};
}

}  // namespace hone::relay
