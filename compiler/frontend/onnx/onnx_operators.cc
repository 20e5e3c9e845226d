#include "compiler/frontend/onnx/onnx_operators.h"

#include <map>
#include <utility>

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

}  // namespace hone
