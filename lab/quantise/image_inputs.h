// Images as a network's inputs.
#pragma once

#include <string>

#include "lab/files/image.h"
#include "lab/model/inputs.h"

namespace hone {

// The preprocessing with which the network was trained. A value is (v / 255 - mean) / std of its channel.
struct ImageOptions {
  std::string mean, std;      // "0.485,0.456,0.406", or one value for all channels; empty: 0, and 1
  std::string fit = "cover";  // or "stretch"
  bool bgr = false;           // blue first

  bool given() const { return !mean.empty() || !std.empty() || fit != "cover" || bgr; }
};
// Throws Error(kUsage) for values other than one or three finite numbers, a std of 0 or less, or another fit. Also for
// options that are given although `calibrate` is "random".
void CheckImageOptions(const ImageOptions& options, const std::string& calibrate);

// The image in the input's size, by a triangle filter as wide as a pixel of the smaller of both. (That is bilinear,
// with skipped pixels averaged.) "cover" keeps the image's proportions and crops the centre; "stretch" keeps all of it.
//
// The input is float32 or uint8, 1 x C x H x W or 1 x H x W x C. It has three channels, or one: luma, 0.299 R + 0.587 G
// + 0.114 B (ITU-R BT.601). A uint8 input gets the bytes, rounded. Throws Error(kBadData), naming `from`, for another
// input. The options must be valid (CheckImageOptions).
Tensor ImageInput(const Image& image, const InputSpec& spec, const ImageOptions& options, const std::string& from);

}  // namespace hone
