#include "compiler/frontend/onnx_operators.h"

#include <map>

namespace hone {
namespace {

using Index = std::map<std::string_view, OnnxOperator>;

Index BuildIndex() {
  Index index;
  for (const auto& family : {ConvolutionOperators, PoolingOperators,          NormalizationOperators,
                             ActivationOperators,  SmoothActivationOperators, ElementwiseOperators,
                             ComparisonOperators,  TrigonometryOperators,     LinearOperators,
                             ReductionOperators,   SearchOperators,           SoftmaxOperators,
                             ShapeOperators,       IndexingOperators,         RearrangeOperators,
                             ScatterOperators,     EinsumOperators,           GridSampleOperators,
                             AttentionOperators,   PatternOperators,          ConstantOperators,
                             ResizeOperators}) {
    for (OnnxOperator& row : family()) index.emplace(row.op_type, std::move(row));
  }
  return index;
}

}  // namespace

const OnnxOperator* FindOnnxOperator(std::string_view op_type) {
  static const Index index = BuildIndex();
  const auto row = index.find(op_type);
  return row == index.end() ? nullptr : &row->second;
}

}  // namespace hone
