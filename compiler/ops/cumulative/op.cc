// Running sums and products along an axis.
#include <cstdint>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

double Read(const Tensor& tensor, int64_t i, double /*as*/) { return tensor.At(i); }
// A double does not hold every int64.
uint64_t Read(const Tensor& tensor, int64_t i, uint64_t /*as*/) {
  if (tensor.dtype() == DType::kInt64) return static_cast<uint64_t>(tensor.data<int64_t>()[i]);
  return static_cast<uint64_t>(static_cast<int64_t>(tensor.At(i)));
}

void Write(double value, Tensor& tensor, int64_t i) { tensor.Set(i, value); }
// Integers wrap.
void Write(uint64_t value, Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kInt64:
      tensor.data<int64_t>()[i] = static_cast<int64_t>(value);
      return;
    case DType::kInt32:
      tensor.data<int32_t>()[i] = static_cast<int32_t>(value);
      return;
    case DType::kInt8:
      tensor.data<int8_t>()[i] = static_cast<int8_t>(value);
      return;
    default:
      tensor.data<uint8_t>()[i] = static_cast<uint8_t>(value);
  }
}

template <typename T>
Tensor Scanned(const Tensor& data, const Attrs& attrs, bool sums) {
  const AxisView view = ViewAxis(data.shape(), NormalizedAxis(attrs.GetInt("axis"), data.shape().size()));
  const bool exclusive = attrs.GetBool("exclusive"), reverse = attrs.GetBool("reverse");
  Tensor result(data.dtype(), data.shape());
  for (int64_t line = 0; line < view.outer * view.inner; ++line) {
    const int64_t begin = line / view.inner * view.extent * view.inner + line % view.inner;
    T held = sums ? T{0} : T{1};
    for (int64_t step = 0; step < view.extent; ++step) {
      const int64_t at = begin + (reverse ? view.extent - 1 - step : step) * view.inner;
      const T x = Read(data, at, T{}), joined = sums ? held + x : held * x;
      Write(exclusive ? held : joined, result, at);
      held = joined;
    }
  }
  return result;
}

TypePtr ScanType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  NormalizedAxis(attrs.GetInt("axis"), data.shape.size());
  return TensorType(data.shape, data.dtype);
}

OpDef ScanOp(std::string name, std::string description, bool sums) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", kNumbers}};
  def.attrs = {{"axis", AttrKind::kInt, int64_t{0}, "the axis that is run along"},
               {"exclusive", AttrKind::kBool, false, "whether an element itself is left out"},
               {"reverse", AttrKind::kBool, false, "whether it runs from the end"}};
  def.support_level = 4;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = ScanType;
  def.reference = [sums](const Tensors& args, const Attrs& attrs) {
    const bool real = IsFloat(args[0].dtype());
    return Tensors{real ? Scanned<double>(args[0], attrs, sums) : Scanned<uint64_t>(args[0], attrs, sums)};
  };
  return def;
}

}  // namespace

OpTable CumulativeOps() {
  return {ScanOp("cumsum", "sums of the elements up to each along an axis", true),
          ScanOp("cumprod", "products of the elements up to each along an axis", false)};
}

}  // namespace hone::relay
