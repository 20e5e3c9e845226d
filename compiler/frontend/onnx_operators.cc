#include "compiler/frontend/onnx_operators.h"

#include <map>
#include <utility>

namespace hone {
namespace {

using Index = std::map<std::pair<std::string_view, std::string_view>, OnnxOperator>;

Index BuildIndex() {
  Index index;
  for (const auto& family : {ConvolutionOperators, PoolingOperators,          NormalizationOperators,
                             ActivationOperators,  SmoothActivationOperators, ElementwiseOperators,
                             ComparisonOperators,  TrigonometryOperators,     LinearOperators,
                             ReductionOperators,   SearchOperators,           SoftmaxOperators,
                             ShapeOperators,       IndexingOperators,         RearrangeOperators,
                             ScatterOperators,     EinsumOperators,           GridSampleOperators,
                             AttentionOperators,   PatternOperators,          ConstantOperators,
                             ResizeOperators,      QuantisationOperators,     QuantisedProductOperators,
                             QuantisedElementwiseOperators}) {
    for (OnnxOperator& row : family()) index.emplace(std::pair(row.domain, row.op_type), std::move(row));
  }
  return index;
}

}  // namespace

const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view op_type) {
  static const Index index = BuildIndex();
  const auto row = index.find({domain, op_type});
  return row == index.end() ? nullptr : &row->second;
}

}  // namespace hone
