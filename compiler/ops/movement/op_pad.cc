// nn.pad: a tensor with a border.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

std::string PadMode(const Attrs& attrs) {
  const std::string mode = attrs.GetString("pad_mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge") {
    Misfit(fmt::format("pad_mode = \"{}\" must be constant, reflect or edge", mode));
  }
  return mode;
}

void CheckReach(const std::string& mode, int64_t extent, int64_t reach) {
  if (extent == kAnyDim || reach == 0) return;
  const int64_t most = mode == "reflect" ? extent - 1 : extent == 0 ? 0 : reach;
  if (mode != "constant" && reach > most)
    Misfit(fmt::format("a {} border of {} is too wide for {}", mode, reach, extent));
}

Shape PaddedShape(const Shape& data, const Attrs& attrs) {
  const std::vector<int64_t> width = CheckedInts(attrs, "pad_width", 2 * data.size(), 0);
  const std::string mode = PadMode(attrs);
  Shape shape = data;
  for (size_t d = 0; d < data.size(); ++d) {
    CheckReach(mode, data[d], std::max(width[2 * d], width[2 * d + 1]));
    if (data[d] != kAnyDim) shape[d] += width[2 * d] + width[2 * d + 1];
  }
  return shape;
}

// The position on the data's axis that position `at` of the result reads, or -1 on a constant border.
int64_t Source(int64_t at, int64_t before, int64_t extent, const std::string& mode) {
  const int64_t from = at - before;
  if (from >= 0 && from < extent) return from;
  if (mode == "constant") return -1;
  if (mode == "edge") return from < 0 ? 0 : extent - 1;
  return from < 0 ? -from : 2 * (extent - 1) - from;
}

// For each element of the result the index of its element of the data, or -1.
std::vector<int64_t> Sources(const Shape& data, const Shape& shape, const Attrs& attrs) {
  const std::vector<int64_t> width = attrs.GetInts("pad_width");
  const std::string mode = PadMode(attrs);
  const std::vector<int64_t> strides = RowMajorStrides(data);
  std::vector<int64_t> sources{0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    next.reserve(sources.size() * static_cast<size_t>(shape[d]));
    for (int64_t outer : sources) {
      for (int64_t i = 0; i < shape[d]; ++i) {
        const int64_t from = Source(i, width[2 * d], data[d], mode);
        next.push_back(outer < 0 || from < 0 ? -1 : outer + from * strides[d]);
      }
    }
    sources = std::move(next);
  }
  return sources;
}

std::vector<Tensor> Pad(const std::vector<Tensor>& args, const Attrs& attrs) {
  const Tensor& data = args[0];
  const Shape shape = PaddedShape(data.shape(), attrs);
  const std::vector<int64_t> sources = Sources(data.shape(), shape, attrs);
  const double value = attrs.GetFloat("pad_value", 0);
  Tensor result(data.dtype(), shape);
  const int64_t bytes = DTypeBytes(data.dtype());
  for (int64_t i = 0; i < result.elements(); ++i) {
    const int64_t from = Nth(sources, i);
    if (from < 0) {
      result.Set(i, value);
    } else {
      std::memcpy(static_cast<char*>(result.raw()) + i * bytes, static_cast<const char*>(data.raw()) + from * bytes,
                  static_cast<size_t>(bytes));
    }
  }
  return {result};
}

}  // namespace

OpTable PadOps() {
  OpDef def;
  def.name = "nn.pad";
  def.description = "data with a border along each axis";
  def.inputs = {{"data", "any shape", kOrdered | DTypeSet{DType::kFloat16, DType::kBFloat16}}};
  def.attrs = {{"pad_width", AttrKind::kInts, std::vector<int64_t>{}, "before and after, for each axis in turn"},
               {"pad_mode", AttrKind::kString, std::string("constant"), "constant, reflect (without the edge) or edge"},
               {"pad_value", AttrKind::kFloat, 0.0, "the constant border's value"}};
  def.support_level = 2;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kNative;
  def.traits = {.per_image = true, .heads = true};
  def.type_relation = [](const std::vector<TypePtr>& args, const Attrs& attrs) {
    const Type& data = RowMajorArg(args, 0, "data");
    return TensorType(PaddedShape(data.shape, attrs), data.dtype);
  };
  def.reference = Pad;
  return {def};
}

}  // namespace hone::relay
