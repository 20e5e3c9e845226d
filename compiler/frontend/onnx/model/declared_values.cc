#include "compiler/frontend/onnx/model/declared_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/frontend/onnx/narrow_types.h"

namespace hone {
namespace {

// The dtype of values of an ONNX type; nullopt if the file does not declare one that hone reads.
std::optional<DType> StoredDType(int64_t onnx_type) {
  if (const NarrowType* narrow = FindNarrowType(onnx_type)) return narrow->stored;
  constexpr std::pair<int64_t, DType> kStored[] = {{1, DType::kFloat32}, {2, DType::kUInt8}, {3, DType::kInt8},
                                                   {6, DType::kInt32},   {7, DType::kInt64}, {9, DType::kBool}};
  const auto* row = std::ranges::find(kStored, onnx_type, &std::pair<int64_t, DType>::first);
  return row == std::end(kStored) ? std::nullopt : std::optional(row->second);
}

bool FitDeclared(const std::vector<OnnxDim>& dims, const Shape& shape) {
  return std::ranges::equal(dims, shape,
                            [](const OnnxDim& dim, int64_t extent) { return dim.value < 0 || dim.value == extent; });
}

std::string DeclaredText(DType dtype, const std::vector<OnnxDim>& dims) {
  std::string text;
  for (const OnnxDim& dim : dims) {
    text += text.empty() ? "" : "x";
    text += dim.value >= 0 ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : dim.symbol;
  }
  return fmt::format("{} {}", DTypeName(dtype), text.empty() ? "scalar" : text);
}

}  // namespace

void DeclaredValues::Compare(const OnnxNode& node, const std::string& result, const relay::ExprPtr& expr,
                             const TypedBuilder& builder) {
  const auto dims = graph_.declared_shapes.find(result);
  const bool is_compared = as_written_ && difference_.empty() && dims != graph_.declared_shapes.end();
  if (!is_compared || expr == nullptr || !builder.CountsOf(expr).empty()) return;
  const relay::Type& type = *builder.TypeOf(expr);
  if (type.kind != relay::TypeKind::kTensor) return;
  const DType dtype = StoredDType(graph_.element_types.at(result)).value_or(type.dtype);
  if (dtype == type.dtype && FitDeclared(dims->second, type.shape)) return;
  difference_ = fmt::format("node \"{}\" ({}) gives \"{}\" {} {}, and the file declares {}", node.name, node.op_type,
                            result, DTypeName(type.dtype), ShapeText(type.shape), DeclaredText(dtype, dims->second));
}

void DeclaredValues::Tell(std::vector<std::string>& notices) const {
  if (!difference_.empty()) notices.push_back(difference_ + "; the former holds");
}

void DeclaredValues::Throw(const Error& error) const {
  throw Error(error.code(), error.what() + (difference_.empty() ? "" : "; before it, " + difference_));
}

}  // namespace hone
