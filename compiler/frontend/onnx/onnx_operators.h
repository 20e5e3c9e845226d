// The table of ONNX operators and their converters to Relay. Start here to add one.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Returns the node's outputs, or the first of them. Uses of omitted ones (masks, indices) are refused. Throws
// Error(kBadData) without the node's name.
using OnnxConvert = std::vector<relay::ExprPtr> (*)(const OnnxNodeView& view);

struct OnnxOperator {
  std::string_view op_type;
  int min_inputs;
  int max_inputs;  // -1: any number
  OnnxConvert convert;
  std::vector<std::string_view> attributes;  // attributes that it may have, in any opset
  std::string_view domain = {};              // empty: ONNX's own
};
// The domain of operators that ONNX Runtime adds; its quantiser writes them.
inline constexpr std::string_view kMicrosoft = "com.microsoft";
// The domain of ONNX's classical models.
inline constexpr std::string_view kClassical = "ai.onnx.ml";
// The domain of ONNX's optimisers.
inline constexpr std::string_view kTraining = "ai.onnx.preview.training";
using OnnxOperatorTable = std::vector<OnnxOperator>;

// One row per operator. A family's file in operators/ defines each of these.
OnnxOperatorTable ConvolutionOperators();
OnnxOperatorTable PoolingOperators();
OnnxOperatorTable NormalizationOperators();
OnnxOperatorTable ActivationOperators();
OnnxOperatorTable SmoothActivationOperators();
OnnxOperatorTable ElementwiseOperators();
OnnxOperatorTable ComparisonOperators();
OnnxOperatorTable TrigonometryOperators();
OnnxOperatorTable LinearOperators();
OnnxOperatorTable ReductionOperators();
OnnxOperatorTable SearchOperators();
OnnxOperatorTable SoftmaxOperators();
OnnxOperatorTable ShapeOperators();
OnnxOperatorTable IndexingOperators();
OnnxOperatorTable RearrangeOperators();
OnnxOperatorTable ScatterOperators();
OnnxOperatorTable EinsumOperators();
OnnxOperatorTable RecurrentOperators();
OnnxOperatorTable ControlOperators();
OnnxOperatorTable ClassicalOperators();
OnnxOperatorTable TreeOperators();
OnnxOperatorTable SpectrumOperators();
OnnxOperatorTable DetectionOperators();
OnnxOperatorTable FeatureOperators();
OnnxOperatorTable GridSampleOperators();
OnnxOperatorTable AttentionOperators();
OnnxOperatorTable AffineGridOperators();
OnnxOperatorTable BitOperators();
OnnxOperatorTable CropOperators();
OnnxOperatorTable LossOperators();
OnnxOperatorTable StateOperators();
OnnxOperatorTable OptimiserOperators();
OnnxOperatorTable UnpoolingOperators();
OnnxOperatorTable PatternOperators();
OnnxOperatorTable CountedOperators();
OnnxOperatorTable UniqueOperators();
OnnxOperatorTable ConstantOperators();
OnnxOperatorTable ResizeOperators();
OnnxOperatorTable QuantisationOperators();
OnnxOperatorTable QuantisedProductOperators();
OnnxOperatorTable QuantisedElementwiseOperators();

// The names of all operators of all domains.
std::vector<std::string_view> OnnxOperatorNames();
// Null if hone does not support the operator. The domain is empty for ONNX's own operators.
const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view op_type);

}  // namespace hone
