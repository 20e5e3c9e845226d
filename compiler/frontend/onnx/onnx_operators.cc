#include "compiler/frontend/onnx/onnx_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text/parse_number.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using Index = std::map<std::pair<std::string_view, std::string_view>, OnnxOperator>;

Index BuildIndex() {
  Index index;
  for (OnnxOperator& row : AllOnnxOperators()) index.emplace(std::pair(row.domain, row.op_type), std::move(row));
  return index;
}

const Index& TheIndex() {
  static const Index index = BuildIndex();
  return index;
}

}  // namespace

std::vector<std::string_view> OnnxOperatorNames() {
  std::vector<std::string_view> names;
  for (const auto& [key, row] : TheIndex()) names.push_back(key.second);
  return names;
}

const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view op_type) {
  const auto row = TheIndex().find({domain, op_type});
  return row == TheIndex().end() ? nullptr : &row->second;
}

void RequireFits(const OnnxNode& node, const OnnxOperator& row) {
  const int count = static_cast<int>(node.inputs.size());
  if (count < row.min_inputs || (row.max_inputs >= 0 && count > row.max_inputs)) {
    RefuseNode(fmt::format("{}; it takes {}", Counted(count, "input"),
                           row.max_inputs < 0 ? fmt::format("{} or more", row.min_inputs)
                           : row.max_inputs == row.min_inputs
                               ? std::to_string(row.min_inputs)
                               : fmt::format("{} to {}", row.min_inputs, row.max_inputs)));
  }
  const auto required = node.inputs.begin() + row.min_inputs;
  if (const auto missing = std::find(node.inputs.begin(), required, ""); missing != required) {
    RefuseNode(
        fmt::format("input {} is left out; it takes {} at least", missing - node.inputs.begin(), row.min_inputs));
  }
  if (node.outputs.empty()) RefuseNode("it has no output");
  for (const auto& [name, attribute] : node.attributes) {
    if (std::find(row.attributes.begin(), row.attributes.end(), name) == row.attributes.end()) {
      RefuseNode(fmt::format("the attribute \"{}\" is not known", name));
    }
    if (!attribute.reference.empty())
      RefuseNode(fmt::format("the attribute {} refers to a function's, and it is in none", name));
  }
}

std::vector<std::string_view> OnnxOperatorsOf(std::string_view relay_operator) {
  std::set<std::string_view> names;
  for (const auto& [key, row] : TheIndex()) {
    const std::vector<std::string_view> made = Words(row.outcome.becomes);
    if (std::find(made.begin(), made.end(), relay_operator) != made.end()) names.insert(key.second);
  }
  return {names.begin(), names.end()};
}

}  // namespace hone
