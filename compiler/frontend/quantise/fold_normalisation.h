// Folds batch normalisation into the convolution before it.
#pragma once

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace hone {

// Folds a BatchNormalization with constant parameters that is the only reader of a Conv with constant weights. The
// weights take the factors, the bias the rest, and the convolution makes the normalisation's value. A normalisation in
// training mode, or of other types than float32, stays.
void FoldNormalisation(onnx::GraphProto& graph);

}  // namespace hone
