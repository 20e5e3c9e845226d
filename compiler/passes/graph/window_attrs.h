// The attributes of convolutions and pools in their full form.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/relay/attrs.h"

namespace hone {

// "padding" as top, left, bottom, right: given as one number, as two (H, W) or as four; zeros when absent.
std::array<int64_t, 4> Padding4(const relay::Attrs& attrs);
// "strides" or "dilation" as H, W: given as one number or two; ones when absent.
std::array<int64_t, 2> Pair(const relay::Attrs& attrs, std::string_view name);

}  // namespace hone
