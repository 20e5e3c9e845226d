#include "compiler/frontend/onnx/model/model_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "compiler/frontend/onnx/extent_text.h"
#include "compiler/frontend/onnx/node_error.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

std::vector<relay::CountedOutput> AddCounts(const TypedBuilder& builder, std::vector<ExprPtr>& outputs,
                                            std::vector<std::string>& names) {
  std::vector<relay::CountedOutput> counted;
  std::unordered_map<const relay::Expr*, int64_t> places;
  names.resize(outputs.size());
  const auto place_of = [&](const ExprPtr& count, const std::string& name) {
    const auto [place, is_new] = places.try_emplace(count.get(), static_cast<int64_t>(outputs.size()));
    if (is_new) {
      outputs.push_back(count);
      names.push_back(name);
    }
    return place->second;
  };
  for (size_t i = 0, own = outputs.size(); i < own; ++i) {
    const Counts counts = builder.CountsOf(outputs[i]);
    for (size_t axis = 0; axis < counts.size(); ++axis) {
      if (counts[axis] == nullptr) continue;
      const std::string name = FollowsFromDimensions(counts[axis]) ? ExtentText(counts[axis]) : "";
      counted.push_back({static_cast<int64_t>(i), static_cast<int64_t>(axis), place_of(counts[axis], name),
                         builder.ShapeOf(outputs[i])[axis]});
    }
  }
  for (const auto& [count, most, node] : builder.required_counts()) {
    const std::string name = fmt::format("node \"{}\": {}", node, ExtentText(count));
    counted.push_back({-1, 0, place_of(count, OneLine(name)), most});
  }
  return counted;
}

std::vector<relay::StateValue> AddStates(const std::vector<ModelState>& kept, const ModelInputs& inputs,
                                         const std::vector<ExprPtr>& outputs, const std::vector<std::string>& names,
                                         TypedBuilder& builder) {
  std::vector<relay::StateValue> states;
  for (const auto& [input, output] : kept) {
    const auto param = std::ranges::find(inputs.params, input, [](const auto& each) { return each->name; });
    const auto result = std::ranges::find(names, output);
    if (param == inputs.params.end() || result == names.end()) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--state {}={}: one of the two always has the same value", input, output));
    }
    states.push_back({param - inputs.params.begin(), result - names.begin()});
    const Counts counts = builder.CountsOf(Nth(outputs, states.back().output));
    for (const relay::RangedInput& each : inputs.ranged) {
      if (each.input != states.back().input || counts.empty() || Nth(counts, each.axis) == nullptr) continue;
      builder.RequireCount(Nth(counts, each.axis), Nth((*param)->type->shape, each.axis));
    }
  }
  return states;
}

}  // namespace hone
