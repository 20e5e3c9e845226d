// The axes that Resize or Upsample changes, from its scales or sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

struct ResizedAxis {
  int64_t axis = 0;
  int64_t in = 0;
  int64_t out = 0;
  float scale = 1;
  float begin = 0, end = 1;  // begin and end of a crop, as fractions of the distance from the first element to the last
  relay::ExprPtr out_count = nullptr;  // of the result, if the data's extent is counted
};

// The numbers of a float input, or of the attribute in older opsets; empty if there are none. These functions throw
// Error(kBadData) for what cannot be.
std::vector<double> ResizeScales(const OnnxNodeView& view, int input);
std::vector<ResizedAxis> AxesByScales(const OnnxNodeView& view, const std::vector<double>& scales);
// Whether the node has sizes, as input 3; they may be computed.
bool HasSizes(const OnnxNodeView& view);
std::vector<ResizedAxis> AxesBySizes(const OnnxNodeView& view);

}  // namespace hone
