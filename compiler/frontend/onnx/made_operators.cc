#include "compiler/frontend/onnx/made_operators.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

struct MadeOf {
  std::string_view relay;
  std::string_view onnx;  // separated by blanks
};

constexpr std::array<MadeOf, 99> kMade = {{
    {"abs",
     "Abs Asinh Atanh Cosh GlobalLpPool IsInf LpNormalization Normalizer "
     "ReduceL1 Sinh Softplus Softsign TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"add",
     "Acos Acosh Adagrad Adam Add AffineGrid Asin Asinh Attention BatchNormalization "
     "Celu Col2Im Concat ConvInteger Cosh DFT DynamicQuantizeLinear "
     "DynamicQuantizeMatMul Elu Gather Gelu GroupNormalization InstanceNormalization "
     "LayerNormalization LinearAttention MatMulInteger MaxPool Mean "
     "MeanVarianceNormalization Momentum OneHot Pow QGemm QLinearAdd "
     "QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "QuantizeLinear RMSNormalization Range ReduceLogSumExp Resize ReverseSequence "
     "RotaryEmbedding STFT Selu Shrink Sinh Slice Softplus Softsign Sum "
     "TensorScatter TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"argmax", "ArgMax Hardmax LinearClassifier MaxPool TreeEnsembleClassifier"},
    {"argmin", "ArgMin"},
    {"argwhere", "Compress NonZero Unique"},
    {"atan", "Acos Asin Atan"},
    {"bitwise_and", "BitwiseAnd"},
    {"bitwise_not", "BitwiseNot"},
    {"bitwise_or", "BitwiseOr"},
    {"bitwise_xor", "BitwiseXor"},
    {"broadcast_to", "Expand MatMul MatMulInteger TensorScatter Tile"},
    {"cast",
     "Adagrad Adam Binarizer Cast CastLike ConvInteger DequantizeLinear "
     "DynamicQuantizeLinear DynamicQuantizeMatMul FeatureVectorizer LabelEncoder "
     "MatMulInteger MatMulIntegerToFloat Momentum OneHotEncoder QGemm QLinearAdd "
     "QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "QuantizeLinear ReduceMean Resize Shrink"},
    {"ceil", "Ceil"},
    {"clip",
     "Celu Clip DynamicQuantizeLinear DynamicQuantizeMatMul Elu Gelu QGemm "
     "QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "QuantizeLinear ReduceLogSumExp Selu"},
    {"concatenate",
     "Attention CausalConvWithState Concat DFT FeatureVectorizer If LinearAttention "
     "Loop MatMulInteger Pad QLinearConcat RotaryEmbedding STFT Scan Shape "
     "TreeEnsembleClassifier Unique"},
    {"cos", "Cos Tan"},
    {"cumprod", "CumProd"},
    {"cumsum", "CumSum Unique"},
    {"divide",
     "Acos Adagrad Adam Asin Asinh Atanh Attention Celu Cosh Div DynamicQuantizeLinear "
     "DynamicQuantizeMatMul LpNormalization Mean MeanVarianceNormalization NegativeLogLikelihoodLoss "
     "Normalizer QLinearAdd QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearLeakyRelu "
     "QLinearMul QLinearSigmoid QLinearSoftmax QuantizeLinear Range Reciprocal ReduceMean Reshape Sinh "
     "Slice Softsign Tan TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"equal",
     "Attention Equal Hardmax Imputer IsInf LabelEncoder LpNormalization "
     "NegativeLogLikelihoodLoss Normalizer OneHot OneHotEncoder TreeEnsembleRegressor"},
    {"erf", "Erf"},
    {"exp", "Cosh Exp LinearAttention ReduceLogSumExp Softplus TreeEnsembleClassifier"},
    {"expand_dims",
     "LabelEncoder NegativeLogLikelihoodLoss OneHot OneHotEncoder RotaryEmbedding "
     "SoftmaxCrossEntropyLoss Unsqueeze"},
    {"expm1", "Celu Elu Selu Sinh"},
    {"floor", "Floor"},
    {"gather", "GatherElements MaxPool NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss"},
    {"gather_nd", "GatherND"},
    {"greater",
     "Acosh Adam Asinh Binarizer Greater Momentum Shrink ThresholdedRelu "
     "TreeEnsembleClassifier Unique"},
    {"greater_equal", "Concat GreaterOrEqual"},
    {"image.grid_sample", "GridSample"},
    {"left_shift", "BitShift"},
    {"less",
     "Compress GatherND IsInf Less OneHot PRelu ReduceMax ReduceMean ReduceMin "
     "ReduceSum ReverseSequence Shrink TreeEnsembleClassifier Unique"},
    {"less_equal", "LessOrEqual"},
    {"log", "Acosh Asinh Log ReduceLogSum ReduceLogSumExp TreeEnsembleClassifier"},
    {"log1p", "Acosh Asinh Atanh Softplus"},
    {"logical_and", "And LabelEncoder"},
    {"logical_not", "Not"},
    {"logical_or", "LabelEncoder Or"},
    {"logical_xor", "Xor"},
    {"max",
     "Attention DynamicQuantizeLinear DynamicQuantizeMatMul GlobalMaxPool MaxPool "
     "Normalizer ReduceLogSumExp ReduceMax TreeEnsembleClassifier Unique"},
    {"maximum", "DynamicQuantizeLinear DynamicQuantizeMatMul Max Range Slice"},
    {"mean",
     "BatchNormalization GlobalLpPool GroupNormalization InstanceNormalization "
     "LayerNormalization MeanVarianceNormalization NegativeLogLikelihoodLoss "
     "QLinearGlobalAveragePool RMSNormalization ReduceMean"},
    {"min", "LabelEncoder ReduceMin"},
    {"minimum", "Concat Min Slice"},
    {"mod", "Mod TensorScatter"},
    {"multiply",
     "Acos Acosh Adagrad Adam AffineGrid Asin Asinh Atanh Attention "
     "BatchNormalization Celu ConvInteger Cosh DFT DequantizeLinear "
     "DynamicQuantizeMatMul Einsum Elu Gelu Gemm GlobalLpPool GroupNormalization "
     "InstanceNormalization LayerNormalization LinearAttention LpNormalization "
     "LpPool MatMul MatMulInteger MatMulIntegerToFloat MeanVarianceNormalization "
     "Momentum Mul NegativeLogLikelihoodLoss Normalizer PRelu Pow QGemm QLinearAdd "
     "QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "RMSNormalization ReduceL2 ReduceMean ReduceSumSquare Reshape Resize "
     "ReverseSequence RotaryEmbedding STFT Scaler Selu Sinh Size SwiGLU Swish "
     "TreeEnsembleClassifier"},
    {"negative",
     "DynamicQuantizeLinear DynamicQuantizeMatMul Neg NegativeLogLikelihoodLoss "
     "SoftmaxCrossEntropyLoss Softplus TreeEnsembleClassifier"},
    {"nn.avg_pool2d", "AveragePool LpPool QLinearAveragePool"},
    {"nn.avg_pool3d", "AveragePool"},
    {"nn.batch_flatten", "Flatten"},
    {"nn.batch_matmul", "Attention Einsum MatMulInteger"},
    {"nn.batch_norm", "BatchNormalization"},
    {"nn.bias_add",
     "CausalConvWithState Conv ConvInteger GRU Gemm LSTM LinearClassifier LinearRegressor QGemm QLinearConv RNN"},
    {"nn.conv2d", "CausalConvWithState Conv ConvInteger QLinearConv"},
    {"nn.conv2d_transpose", "ConvTranspose"},
    {"nn.conv3d", "Conv"},
    {"nn.conv3d_transpose", "ConvTranspose"},
    {"nn.dense",
     "DFT DynamicQuantizeLSTM DynamicQuantizeMatMul Einsum GRU Gemm LSTM "
     "LinearClassifier LinearRegressor MatMul MatMulInteger MatMulIntegerToFloat QGemm "
     "QLinearMatMul RNN STFT"},
    {"nn.gelu", "Gelu"},
    {"nn.global_avg_pool2d", "GlobalAveragePool GlobalLpPool QLinearGlobalAveragePool"},
    {"nn.global_avg_pool3d", "GlobalAveragePool GlobalLpPool"},
    {"nn.hard_sigmoid", "HardSigmoid"},
    {"nn.hard_swish", "HardSwish"},
    {"nn.leaky_relu", "LeakyRelu PRelu QLinearLeakyRelu"},
    {"nn.log_softmax", "LogSoftmax SoftmaxCrossEntropyLoss"},
    {"nn.lrn", "LRN"},
    {"nn.max_pool2d", "MaxPool"},
    {"nn.max_pool3d", "MaxPool"},
    {"nn.mish", "Mish"},
    {"nn.pad",
     "AveragePool CausalConvWithState CenterCropPad Col2Im ConvInteger DFT "
     "DynamicQuantizeMatMul MatMulInteger MaxPool MaxUnpool Pad STFT"},
    {"nn.prelu", "PRelu"},
    {"nn.recurrent", "DynamicQuantizeLSTM GRU LSTM RNN"},
    {"nn.relu", "Celu Elu Relu Selu Softplus"},
    {"nn.silu", "CausalConvWithState SwiGLU"},
    {"nn.softmax", "Attention QLinearSoftmax Softmax TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"not_equal", "Imputer IsNaN LabelEncoder Unique"},
    {"power",
     "Adam BatchNormalization GlobalLpPool GroupNormalization InstanceNormalization "
     "LayerNormalization LpPool Pow RMSNormalization"},
    {"prod", "ReduceProd"},
    {"reshape",
     "AffineGrid Attention AveragePool BatchNormalization CausalConvWithState Col2Im "
     "Compress Conv ConvInteger ConvTranspose DFT DepthToSpace DynamicQuantizeLSTM "
     "Einsum GRU Gemm GroupNormalization Hardmax If LSTM LinearAttention Loop MatMul "
     "MatMulInteger MaxPool MaxUnpool NegativeLogLikelihoodLoss QLinearAveragePool "
     "QLinearConv QLinearGlobalAveragePool RNN ReduceLogSumExp Reshape "
     "ReverseSequence RotaryEmbedding STFT Scan Shape Softmax "
     "SoftmaxCrossEntropyLoss SpaceToDepth TensorScatter Tile TreeEnsembleClassifier "
     "Unique"},
    {"right_shift", "BitShift"},
    {"round",
     "ConvInteger DynamicQuantizeLinear DynamicQuantizeMatMul QGemm QLinearAdd "
     "QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "QuantizeLinear Round"},
    {"scatter_elements", "MaxUnpool Scatter ScatterElements TensorScatter Unique"},
    {"scatter_nd", "ScatterND"},
    {"sigmoid", "Gelu QLinearSigmoid Sigmoid Swish TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"sign", "Asinh Atanh Resize Sign Sinh"},
    {"sin", "Sin Tan"},
    {"sqrt",
     "Acos Acosh Adagrad Adam Asin Asinh GlobalLpPool LpNormalization LpPool "
     "MeanVarianceNormalization Normalizer ReduceL2 Sqrt TreeEnsembleClassifier"},
    {"squeeze", "Squeeze"},
    {"strided_slice",
     "AffineGrid CausalConvWithState CenterCropPad Col2Im DFT Einsum LinearAttention "
     "MatMulInteger Pad RotaryEmbedding STFT Slice Split Unique"},
    {"subtract",
     "Acos Adagrad Adam Asin Atanh BatchNormalization Concat ConvInteger DFT "
     "DequantizeLinear DynamicQuantizeLinear DynamicQuantizeMatMul GroupNormalization "
     "InstanceNormalization LayerNormalization LinearAttention MatMulInteger "
     "MeanVarianceNormalization Momentum QGemm QLinearAdd QLinearAveragePool "
     "QLinearConcat QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu "
     "QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax Range ReduceLogSumExp "
     "ReverseSequence RotaryEmbedding STFT Scaler Shrink Slice Sub "
     "TreeEnsembleClassifier Unique"},
    {"sum",
     "Col2Im Einsum Gemm LinearAttention LpNormalization MatMul "
     "NegativeLogLikelihoodLoss Normalizer ReduceL1 ReduceL2 ReduceLogSum "
     "ReduceLogSumExp ReduceMean ReduceSum ReduceSumSquare SoftmaxCrossEntropyLoss "
     "TreeEnsembleClassifier"},
    {"take",
     "ArrayFeatureExtractor Col2Im Compress Concat ConstantOfShape Expand Gather "
     "LabelEncoder LinearClassifier MaxPool NegativeLogLikelihoodLoss Pad Resize "
     "ReverseSequence STFT Scan Slice TopK TreeEnsembleClassifier Unique Upsample"},
    {"tanh", "Attention Tanh"},
    {"topk", "TopK Unique"},
    {"transpose",
     "AffineGrid Attention DFT DepthToSpace Einsum GatherND Gemm MatMul "
     "MatMulInteger NonZero RNN STFT ScatterND SpaceToDepth Transpose"},
    {"tree_ensemble", "TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"vision.all_class_non_max_suppression", "NonMaxSuppression"},
    {"vision.roi_align", "RoiAlign"},
    {"where",
     "Acosh Adam Asinh Attention Compress Concat Gather GatherND Hardmax If Imputer "
     "LabelEncoder LpNormalization Momentum NegativeLogLikelihoodLoss Normalizer "
     "OneHot PRelu Pad ReduceMax ReduceMean ReduceMin ReduceSum Resize ReverseSequence "
     "Shrink Slice ThresholdedRelu TreeEnsembleClassifier TreeEnsembleRegressor Trilu "
     "Unique Where"},
}};

}  // namespace

std::vector<std::string_view> OnnxOperatorsOf(std::string_view relay_operator) {
  std::vector<std::string_view> names;
  const auto row =
      std::find_if(kMade.begin(), kMade.end(), [&](const MadeOf& made) { return made.relay == relay_operator; });
  if (row == kMade.end()) return names;
  for (size_t at = 0; at < row->onnx.size();) {
    const size_t end = std::min(row->onnx.find(' ', at), row->onnx.size());
    names.push_back(row->onnx.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace hone
