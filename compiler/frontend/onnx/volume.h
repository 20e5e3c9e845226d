// Windows over depth, height and width as windows over planes, one for each tap along the depth.
#pragma once

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {

// A convolution or pool whose data are N, C, D, H, W. Short-lived: borrows the node.
class Volume {
 public:
  // `kernel_depth` 0 takes it from kernel_shape. Beyond the depth lies `border`. Throws Error(kBadData).
  Volume(const OnnxNodeView& view, int64_t kernel_depth, double border);

  int64_t taps() const { return kernel_; }
  // The planes that a tap of the window sees, of all results: (N * result depth), C, H, W.
  relay::ExprPtr Planes(int64_t tap) const;
  // The node's height and width alone; `inputs` are planes and what else the operator takes.
  relay::ExprPtr OnPlanes(OnnxConvert convert, std::vector<relay::ExprPtr> inputs) const;
  // Planes of results as volumes again.
  relay::ExprPtr Joined(const relay::ExprPtr& planes) const;

 private:
  void ReadDepth(int64_t kernel_depth);

  const OnnxNodeView& view_;
  OnnxNode plane_node_;
  relay::ExprPtr slices_;  // N, depth with its border, C, H, W
  int64_t kernel_ = 1, stride_ = 1, dilation_ = 1, before_ = 0, after_ = 0, out_ = 0;
};

}  // namespace hone
