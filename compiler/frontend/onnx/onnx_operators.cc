#include "compiler/frontend/onnx/onnx_operators.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text/parse_number.h"

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

std::vector<std::string_view> OnnxOperatorsOf(std::string_view relay_operator) {
  std::set<std::string_view> names;
  for (const auto& [key, row] : TheIndex()) {
    const std::vector<std::string_view> made = Words(row.outcome.becomes);
    if (std::find(made.begin(), made.end(), relay_operator) != made.end()) names.insert(key.second);
  }
  return {names.begin(), names.end()};
}

}  // namespace hone
