// A convolution's extents under short names, for schedules.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/workload.h"

namespace hone {

// The knob of schedules whose register tiles along a row may be work items of their own. Then runs that need fewer
// columns leave some out. Only builds for a range of shapes set it, so it has no values worth trying.
inline constexpr std::string_view kColumnItems = "column_items";

// N, C, H, W of the data; O output channels; KH, KW of the kernel; strides, padding (top, left, bottom, right),
// dilation; OH, OW of the output; channels per group. Register tiles lie along w, so an image of one column is taken as
// an image of one row. The memory layout of data, weights and output is the same either way. `row_axis` and
// `column_axis` are the axes of the operator's result that OH and OW belong to.
struct ConvShape {
  int64_t N, C, H, W, O, KH, KW;
  int64_t stride_h, stride_w, pad_t, pad_l, pad_b, pad_r, dil_h, dil_w;
  int64_t OH, OW, groups, group_in, group_out;
  int row_axis = 2, column_axis = 3;

  explicit ConvShape(const Workload& w)
      : N(w.data[0]),
        C(w.data[1]),
        H(w.data[2]),
        W(w.data[3]),
        O(w.weight[0]),
        KH(w.weight[2]),
        KW(w.weight[3]),
        stride_h(w.strides[0]),
        stride_w(w.strides[1]),
        pad_t(w.padding[0]),
        pad_l(w.padding[1]),
        pad_b(w.padding[2]),
        pad_r(w.padding[3]),
        dil_h(w.dilation[0]),
        dil_w(w.dilation[1]),
        OH(w.OutputShape()[2]),
        OW(w.OutputShape()[3]),
        groups(w.groups),
        group_in(C / w.groups),
        group_out(O / w.groups) {
    if (W == 1 && KW == 1 && OW == 1 && pad_l == 0 && pad_r == 0) SwapAxes();
  }

  void SwapAxes() {
    std::swap(H, W);
    std::swap(KH, KW);
    std::swap(OH, OW);
    std::swap(stride_h, stride_w);
    std::swap(pad_t, pad_l);
    std::swap(pad_b, pad_r);
    std::swap(dil_h, dil_w);
    std::swap(row_axis, column_axis);
  }

  // One tap at stride 1 without padding: rows may be joined.
  bool pointwise() const {
    return KH == 1 && KW == 1 && stride_h == 1 && stride_w == 1 && pad_t == 0 && pad_l == 0 && pad_b == 0 && pad_r == 0;
  }
};

}  // namespace hone
