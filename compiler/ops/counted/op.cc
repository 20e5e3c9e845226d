// The positions of a tensor's non-zero elements. Their number depends on the data, so the result has room for all.
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

TypePtr ArgwhereType(const std::vector<TypePtr>& args, const Attrs&) {
  const Type& data = RowMajorArg(args, 0, "data");
  if (data.shape.empty()) Misfit("data has no axis");
  int64_t elements = 1;
  for (const int64_t dim : data.shape) elements = dim == kAnyDim || elements == kAnyDim ? kAnyDim : elements * dim;
  return TupleType(
      {TensorType({elements, static_cast<int64_t>(data.shape.size())}, DType::kInt64), TensorType({}, DType::kInt64)});
}

Tensors Argwhere(const Tensors& args, const Attrs&) {
  const Tensor& data = args[0];
  const auto rank = static_cast<int64_t>(data.shape().size());
  Tensors results{Tensor(DType::kInt64, {data.elements(), rank}), Tensor(DType::kInt64, {})};
  int64_t count = 0;
  for (int64_t i = 0; i < data.elements(); ++i) {
    if (data.At(i) == 0) continue;
    int64_t rest = i;
    for (int64_t d = rank; d-- > 0;) {
      const int64_t extent = data.shape()[static_cast<size_t>(d)];
      results[0].data<int64_t>()[count * rank + d] = rest % extent;
      rest /= extent;
    }
    ++count;
  }
  results[1].data<int64_t>()[0] = count;
  return results;
}

}  // namespace

OpTable ArgwhereOps() {
  OpDef def;
  def.name = "argwhere";
  def.description =
      "a tuple of the positions of elements that are not zero, one a row, in the data's order, zeros behind them, and "
      "of "
      "how many there are";
  def.inputs = {{"data", "any shape", kOrdered}};
  def.results = {{"positions", DType::kInt64}, {"count", DType::kInt64}};
  def.support_level = 10;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = ArgwhereType;
  def.reference = Argwhere;
  return {def};
}

}  // namespace hone::relay
