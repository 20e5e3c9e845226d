#include "compiler/frontend/onnx/model/model_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/frontend/onnx/model/input_shapes.h"
#include "compiler/frontend/onnx/narrow_types.h"
#include "core/error.h"

namespace hone {
namespace {

using relay::ExprPtr;

void RequireInput(const OnnxGraph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const OnnxInput& input : graph.inputs) names.push_back(input.name);
  if (std::ranges::find(names, name) != names.end()) return;
  throw Error(ExitCode::kUsage, fmt::format("--value {}: the model has no such input; it has {}", name,
                                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

// Adds a parameter, unless the input always holds one number.
ExprPtr AddInput(const OnnxGraph& graph, const OnnxImportOptions& options, const OnnxInput& input, const Shape& shape,
                 ModelInputs& inputs) {
  if (ElementCount(shape) > int64_t{1} << 38) {
    throw Error(ExitCode::kBadData, fmt::format("input \"{}\": {} is too large", input.name, ShapeText(shape)));
  }
  if (const auto given = options.values.find(input.name); given != options.values.end()) {
    Tensor value(input.dtype, shape);
    for (int64_t k = 0; k < value.elements(); ++k) value.Set(k, given->second);
    return relay::MakeConstant(value, input.name);
  }
  const NarrowType* narrow = DeclaredNarrow(graph, input.name);
  const DType dtype = narrow == nullptr ? input.dtype : narrow->declared;
  auto var = std::make_shared<const relay::Var>(input.name, relay::TensorType(shape, dtype));
  inputs.params.push_back(var);
  return var;
}

bool HasValue(const OnnxGraph& graph, const std::string& name) {
  return std::ranges::any_of(graph.inputs, [&](const OnnxInput& input) { return input.name == name; }) ||
         std::ranges::any_of(graph.initializers, [&](const auto& each) { return each.first == name; });
}

// A dimension's extent is a parameter behind the model's own. Constants alone need none.
void AddExtents(const OnnxGraph& graph, const std::vector<RangedDim>& dims, TypedBuilder& builder,
                ModelInputs& inputs) {
  std::unordered_map<const relay::Expr*, int64_t> params;
  for (size_t i = 0; i < inputs.params.size(); ++i) params[inputs.params[i].get()] = static_cast<int64_t>(i);
  std::vector<Counts> counts;
  for (const ExprPtr& value : inputs.values) counts.emplace_back(builder.ShapeOf(value).size());
  for (const RangedDim& dim : dims) {
    const auto is_given = [&](const auto& place) { return params.contains(inputs.values[place.first].get()); };
    if (std::ranges::none_of(dim.places, is_given)) continue;
    const auto number = static_cast<int64_t>(inputs.params.size());
    const auto extent = std::make_shared<const relay::Var>(
        relay::ExtentParamName(dim.name, [&](const std::string& name) { return HasValue(graph, name); }),
        relay::TensorType({}, DType::kInt64));
    for (const auto& [input, axis] : dim.places) {
      counts[input][axis] = extent;
      const auto param = params.find(inputs.values[input].get());
      if (param == params.end()) continue;
      inputs.ranged.push_back({param->second, static_cast<int64_t>(axis), number, dim.range.least});
    }
    builder.extents().Narrow(extent, {dim.range.least, dim.range.most});
    inputs.params.push_back(extent);
  }
  for (size_t i = 0; i < counts.size(); ++i) builder.SetCounts(inputs.values[i], std::move(counts[i]));
}

}  // namespace

ModelInputs AddModelInputs(const OnnxGraph& graph, const OnnxImportOptions& options,
                           const std::vector<ModelState>& states, std::vector<std::string>& notices,
                           TypedBuilder& builder) {
  const ResolvedInputs resolved = ResolveInputs(graph, options, states, notices);
  for (const auto& [name, value] : options.values) RequireInput(graph, name);
  ModelInputs inputs;
  for (size_t i = 0; i < resolved.shapes.size(); ++i) {
    inputs.values.push_back(AddInput(graph, options, graph.inputs[i], resolved.shapes[i], inputs));
  }
  AddExtents(graph, resolved.ranged, builder, inputs);
  return inputs;
}

}  // namespace hone
