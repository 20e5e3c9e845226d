// Batch normalisation as part of the convolution before it.
#pragma once

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace hone {

// Where a BatchNormalization with constant parameters is all that reads a Conv with constant weights: the weights take
// the factors, the bias the rest, and the convolution makes the value that the normalisation made. In training mode, or
// with other types than float32, it stays.
void FoldNormalisation(onnx::GraphProto& graph);

}  // namespace hone
