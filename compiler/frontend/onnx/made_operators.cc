#include "compiler/frontend/onnx/made_operators.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

struct MadeOf {
  std::string_view relay;
  std::string_view onnx;  // with blanks between
};

constexpr std::array<MadeOf, 85> kMade = {{
    {"abs",
     "Abs Asinh Atanh Cosh GlobalLpPool GridSample IsInf LpNormalization Normalizer "
     "ReduceL1 Sinh Softplus Softsign TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"add",
     "Acos Acosh Add Asin Asinh Attention AveragePool Celu Concat Conv ConvInteger Cosh "
     "DynamicQuantizeLinear DynamicQuantizeMatMul Elu Gather Gelu GridSample "
     "GroupNormalization InstanceNormalization LayerNormalization MatMulInteger Mean "
     "MeanVarianceNormalization OneHot PRelu QGemm QLinearAdd QLinearAveragePool "
     "QLinearConcat QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu QLinearMatMul "
     "QLinearMul QLinearSigmoid QLinearSoftmax QuantizeLinear RMSNormalization Range "
     "ReduceLogSumExp Resize RotaryEmbedding Selu Shrink Sinh Slice Softplus Softsign Sum "
     "TensorScatter TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"argmax", "ArgMax Hardmax LinearClassifier TreeEnsembleClassifier"},
    {"argmin", "ArgMin"},
    {"argwhere", "Compress NonZero Unique"},
    {"atan", "Acos Asin Atan"},
    {"broadcast_to", "Expand GridSample ReverseSequence TensorScatter Tile"},
    {"cast",
     "Binarizer Cast CastLike ConvInteger DequantizeLinear DynamicQuantizeLinear "
     "DynamicQuantizeMatMul FeatureVectorizer GridSample LabelEncoder MatMulInteger "
     "MatMulIntegerToFloat OneHotEncoder QGemm QLinearAdd QLinearAveragePool QLinearConcat "
     "QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu QLinearMatMul QLinearMul "
     "QLinearSigmoid QLinearSoftmax QuantizeLinear ReduceMean"},
    {"ceil", "Ceil"},
    {"clip",
     "Celu Clip DynamicQuantizeLinear DynamicQuantizeMatMul Elu Gelu GridSample QGemm "
     "QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "QuantizeLinear ReduceLogSumExp Selu"},
    {"concatenate",
     "Attention Concat FeatureVectorizer If Loop QLinearConcat RotaryEmbedding Scan "
     "ScatterElements ScatterND Shape TreeEnsembleClassifier Unique"},
    {"cos", "Cos Tan"},
    {"divide",
     "Acos Asin Asinh Atanh Attention AveragePool Celu Cosh Div DynamicQuantizeLinear "
     "DynamicQuantizeMatMul LpNormalization Mean MeanVarianceNormalization Normalizer "
     "QLinearAdd QLinearAveragePool QLinearConcat QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMul QLinearSigmoid QLinearSoftmax QuantizeLinear Range "
     "Reciprocal ReduceMean Reshape Sinh Slice Softsign Tan TreeEnsembleClassifier "
     "TreeEnsembleRegressor"},
    {"equal",
     "Attention Equal GridSample Hardmax Imputer IsInf LabelEncoder LpNormalization "
     "Normalizer OneHot OneHotEncoder TreeEnsembleRegressor"},
    {"erf", "Erf"},
    {"exp", "Cosh Exp ReduceLogSumExp Softplus TreeEnsembleClassifier"},
    {"expand_dims", "CumProd CumSum LabelEncoder OneHot OneHotEncoder RotaryEmbedding Unique Unsqueeze"},
    {"expm1", "Celu Elu Selu Sinh"},
    {"floor", "Floor GridSample"},
    {"gather", "GatherElements GridSample ReverseSequence"},
    {"gather_nd", "GatherND"},
    {"greater", "Asinh Binarizer Greater Shrink ThresholdedRelu TreeEnsembleClassifier Unique"},
    {"greater_equal", "Concat GreaterOrEqual Unique"},
    {"less",
     "Compress GatherND IsInf Less OneHot ReduceMax ReduceMean ReduceMin ReduceSum "
     "ReverseSequence Shrink TreeEnsembleClassifier Unique"},
    {"less_equal", "LessOrEqual"},
    {"log", "Asinh Log ReduceLogSum ReduceLogSumExp TreeEnsembleClassifier"},
    {"log1p", "Acosh Asinh Atanh Softplus"},
    {"logical_and", "And GridSample LabelEncoder"},
    {"logical_not", "Not"},
    {"logical_or", "LabelEncoder Or"},
    {"logical_xor", "Xor"},
    {"max",
     "Attention DynamicQuantizeLinear DynamicQuantizeMatMul GlobalMaxPool Normalizer "
     "ReduceLogSumExp ReduceMax TreeEnsembleClassifier Unique"},
    {"maximum", "DynamicQuantizeLinear DynamicQuantizeMatMul Max MaxPool Range Slice"},
    {"mean",
     "GlobalAveragePool GroupNormalization InstanceNormalization LayerNormalization "
     "MeanVarianceNormalization RMSNormalization ReduceMean"},
    {"min", "LabelEncoder ReduceMin"},
    {"minimum", "Concat GridSample Min Slice"},
    {"mod", "GridSample Mod TensorScatter"},
    {"multiply",
     "Acos Acosh Asin Asinh Atanh Attention Celu ConvInteger Cosh DequantizeLinear "
     "DynamicQuantizeMatMul Elu Gelu Gemm GlobalLpPool GridSample GroupNormalization "
     "InstanceNormalization LayerNormalization LpNormalization LpPool MatMulInteger "
     "MatMulIntegerToFloat MeanVarianceNormalization Mul Normalizer PRelu Pow QGemm "
     "QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "RMSNormalization ReduceL2 ReduceMean ReduceSumSquare Reshape Resize RotaryEmbedding "
     "STFT Scaler Selu Sinh Size SwiGLU Swish TreeEnsembleClassifier"},
    {"negative", "DynamicQuantizeLinear DynamicQuantizeMatMul Neg Softplus TreeEnsembleClassifier"},
    {"nn.avg_pool2d", "AveragePool LpPool QLinearAveragePool"},
    {"nn.batch_flatten", "Flatten"},
    {"nn.batch_matmul", "Attention Einsum"},
    {"nn.batch_norm", "BatchNormalization"},
    {"nn.bias_add", "Conv GRU Gemm LSTM LinearClassifier LinearRegressor QGemm QLinearConv RNN"},
    {"nn.conv2d", "Conv ConvInteger QLinearConv"},
    {"nn.conv2d_transpose", "ConvTranspose"},
    {"nn.dense",
     "DFT DynamicQuantizeLSTM DynamicQuantizeMatMul Einsum GRU Gemm LSTM LinearClassifier "
     "LinearRegressor MatMul MatMulInteger MatMulIntegerToFloat QGemm QLinearMatMul RNN "
     "STFT"},
    {"nn.gelu", "Gelu"},
    {"nn.global_avg_pool2d", "GlobalAveragePool GlobalLpPool QLinearGlobalAveragePool"},
    {"nn.hard_sigmoid", "HardSigmoid"},
    {"nn.hard_swish", "HardSwish"},
    {"nn.leaky_relu", "LeakyRelu QLinearLeakyRelu"},
    {"nn.log_softmax", "LogSoftmax"},
    {"nn.lrn", "LRN"},
    {"nn.max_pool2d", "MaxPool"},
    {"nn.mish", "Mish"},
    {"nn.pad", "Conv MaxPool Pad"},
    {"nn.prelu", "PRelu"},
    {"nn.recurrent", "DynamicQuantizeLSTM GRU LSTM RNN"},
    {"nn.relu", "Celu Elu PRelu Relu Selu Softplus"},
    {"nn.silu", "SwiGLU"},
    {"nn.softmax", "Attention QLinearSoftmax Softmax TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"not_equal", "Imputer IsNaN LabelEncoder Unique"},
    {"power",
     "GlobalLpPool GroupNormalization InstanceNormalization LayerNormalization LpPool Pow "
     "RMSNormalization"},
    {"prod", "CumProd ReduceProd"},
    {"reshape",
     "Attention AveragePool Compress Conv ConvTranspose DFT DepthToSpace "
     "DynamicQuantizeLSTM Einsum GRU GridSample GroupNormalization Hardmax If LSTM Loop "
     "MatMul MaxPool RNN ReduceLogSumExp Reshape ReverseSequence RotaryEmbedding STFT Scan "
     "ScatterElements ScatterND Shape Softmax SpaceToDepth TensorScatter Tile "
     "TreeEnsembleClassifier Unique"},
    {"round",
     "DynamicQuantizeLinear DynamicQuantizeMatMul GridSample QGemm QLinearAdd "
     "QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax "
     "QuantizeLinear Round"},
    {"scatter_elements", "Scatter ScatterElements TensorScatter"},
    {"scatter_nd", "ScatterND"},
    {"sigmoid", "Gelu QLinearSigmoid Sigmoid Swish TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"sign", "Asinh Atanh Sign Sinh"},
    {"sin", "Sin Tan"},
    {"sqrt",
     "Acos Acosh Asin Asinh GlobalLpPool LpNormalization LpPool MeanVarianceNormalization "
     "Normalizer ReduceL2 Sqrt TreeEnsembleClassifier"},
    {"squeeze", "Squeeze"},
    {"strided_slice",
     "AveragePool Conv GridSample MatMulInteger MaxPool Pad RotaryEmbedding Slice Split "
     "Unique"},
    {"subtract",
     "Acos Asin Atanh Concat ConvInteger DequantizeLinear DynamicQuantizeLinear "
     "DynamicQuantizeMatMul GridSample GroupNormalization InstanceNormalization "
     "LayerNormalization MatMulInteger MeanVarianceNormalization PRelu QGemm QLinearAdd "
     "QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMatMul QLinearMul QLinearSigmoid QLinearSoftmax Range "
     "ReduceLogSumExp Resize ReverseSequence RotaryEmbedding Scaler Shrink Slice Sub "
     "TreeEnsembleClassifier Unique"},
    {"sum",
     "CumSum Einsum LpNormalization Normalizer ReduceL1 ReduceL2 ReduceLogSum "
     "ReduceLogSumExp ReduceMean ReduceSum ReduceSumSquare TreeEnsembleClassifier Unique"},
    {"take",
     "ArrayFeatureExtractor Compress Concat ConstantOfShape Expand Gather LabelEncoder "
     "LinearClassifier Pad Resize STFT Scan ScatterElements ScatterND Slice TopK "
     "TreeEnsembleClassifier Unique Upsample"},
    {"tanh", "Attention Tanh"},
    {"topk", "TopK Unique"},
    {"transpose",
     "Attention AveragePool Conv DFT DepthToSpace Einsum GatherND Gemm MatMulInteger "
     "MaxPool NonZero RNN ScatterND SpaceToDepth Transpose"},
    {"tree_ensemble", "TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor"},
    {"vision.all_class_non_max_suppression", "NonMaxSuppression"},
    {"vision.roi_align", "RoiAlign"},
    {"where",
     "Asinh Attention Compress Concat CumProd CumSum Gather GatherND GridSample Hardmax If "
     "Imputer LabelEncoder LpNormalization Normalizer OneHot ReduceMax ReduceMean "
     "ReduceMin ReduceSum ReverseSequence Shrink Slice ThresholdedRelu "
     "TreeEnsembleClassifier TreeEnsembleRegressor Trilu Unique Where"},
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
