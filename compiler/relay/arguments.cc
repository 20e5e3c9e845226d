#include "compiler/relay/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/relay/indexing.h"
#include "core/error.h"

namespace hone::relay {
namespace {

constexpr int64_t kLargestAttribute = int64_t{1} << 30;

}  // namespace

void Misfit(const std::string& message) { throw Error(ExitCode::kBadData, message); }

const Type& TensorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int rank) {
  if (i >= args.size() || args[i] == nullptr) Misfit(fmt::format("{} has no type", what));
  const Type& type = *args[i];
  if (type.kind != TypeKind::kTensor) Misfit(fmt::format("{} is {}, not a tensor", what, ToText(args[i])));
  if (rank >= 0 && type.shape.size() != static_cast<size_t>(rank)) {
    Misfit(fmt::format("{} is {}, it must have {} dims", what, ToText(args[i]), rank));
  }
  return type;
}

const Type& RowMajorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int rank) {
  const Type& type = TensorArg(args, i, what, rank);
  if (!type.layout.empty()) Misfit(fmt::format("{} lies as {}, it must be row-major", what, type.layout));
  return type;
}

const Type& VectorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int64_t dim) {
  const Type& type = RowMajorArg(args, i, what, 1);
  if (!DimsFit(type.shape[0], dim)) {
    Misfit(fmt::format("{} has {} elements, the data's axis has {}", what, type.shape[0], dim));
  }
  return type;
}

bool DimsFit(int64_t a, int64_t b) { return a == b || a == kAnyDim || b == kAnyDim; }

int64_t NormalizedAxis(int64_t axis, size_t rank) {
  const auto dims = static_cast<int64_t>(rank);
  if (axis < -dims || axis >= dims) Misfit(fmt::format("axis {} lies outside a tensor of {} dims", axis, dims));
  return axis < 0 ? axis + dims : axis;
}

std::vector<int64_t> NormalizedAxes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<int64_t> result;
  result.reserve(axes.size());
  for (int64_t axis : axes) result.push_back(NormalizedAxis(axis, rank));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    Misfit(fmt::format("axes [{}] name one axis twice", fmt::join(axes, ", ")));
  }
  return result;
}

std::vector<int64_t> CheckedInts(const Attrs& attrs, std::string_view name, size_t count, int64_t least,
                                 const std::vector<int64_t>& otherwise) {
  std::vector<int64_t> values = attrs.GetInts(name, otherwise);
  if (values.size() != count) Misfit(fmt::format("{} = {} must have {} numbers", name, ToText(values), count));
  for (int64_t value : values) {
    if (value < least || value > kLargestAttribute) {
      Misfit(fmt::format("{} = {} must lie in {}..{}", name, ToText(values), least, kLargestAttribute));
    }
  }
  return values;
}

bool IsRowMajor(std::string_view layout) {
  // The order of the axes in row-major tensors: batch or outputs, channels or inputs, then space.
  constexpr std::string_view kOrder = "NOCIDHW";
  size_t last = 0;
  for (char axis : layout) {
    const size_t place = kOrder.find(axis);
    if (place == std::string_view::npos || place < last) return false;
    last = place;
  }
  return true;
}

std::string TypeLayout(std::string_view layout) { return IsRowMajor(layout) ? "" : std::string(layout); }

std::string CommonLayout(const std::vector<const Type*>& operands, const Shape& shape) {
  std::string layout;
  for (const Type* type : operands) {
    if (layout.empty()) layout = type->layout;
  }
  for (const Type* type : operands) {
    const bool broadcast = type->layout.empty() && type->shape != shape;
    if (type->layout != layout && !broadcast) {
      Misfit(fmt::format("operands lie as {} and {}", layout, type->layout.empty() ? "row-major" : type->layout));
    }
  }
  return layout;
}

TypePtr BroadcastOf(const std::vector<const Type*>& operands, DType dtype) {
  Shape shape;
  for (const Type* type : operands) shape = BroadcastShapes(shape, type->shape);
  std::string layout = CommonLayout(operands, shape);
  return TensorType(std::move(shape), dtype, std::move(layout));
}

}  // namespace hone::relay
