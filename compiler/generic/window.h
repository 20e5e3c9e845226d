// The taps of a sliding window along one spatial axis, clipped to the data.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "compiler/generic/operand_access.h"
#include "compiler/relay/expr.h"

namespace hone {

struct WindowAxis {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding
  int64_t after = 0;
  int64_t in = 1;   // the data's extent
  int64_t out = 1;  // the result's extent

  // Outputs [first, last) all of whose taps lie on data; empty if first >= last.
  int64_t first_inside() const;
  int64_t last_inside() const;
  bool always_inside() const { return first_inside() == 0 && last_inside() == out; }

  // The position that the output's tap reads; in the padding it is negative or past the data.
  int64_t Seen(int64_t output, int64_t tap) const { return output * stride - before + tap * dilation; }
  bool IsInside(int64_t output, int64_t tap) const { return Seen(output, tap) >= 0 && Seen(output, tap) < in; }
  // Number of the output's taps on data, or with `padded` on data or padding.
  int64_t CountTaps(int64_t output, bool padded) const;
};

// Height and width of a typed nn.max_pool2d, nn.avg_pool2d or nn.conv2d; nullopt for other calls.
std::optional<std::array<WindowAxis, 2>> WindowOf(const relay::Call& call);

// The taps [first, last) that lie on data for the output at `at`; constants if `inside` or if they always do.
struct Taps {
  Value* first = nullptr;
  Value* last = nullptr;
};
Taps TapsAt(KernelBuilder& b, const WindowAxis& axis, Value* at, bool inside);
// The data's coordinate of a tap for outputs at `at`.
Coordinate TapCoordinate(KernelBuilder& b, const WindowAxis& axis, const Coordinate& at, Value* tap);
// A tap's values for the outputs from the known position `first` on along the last axis. Lanes whose tap lies on no
// data get `stop`; null if that is every lane. `read` gives the values from a coordinate of that axis on.
Value* TapAtBorder(KernelBuilder& b, const WindowAxis& axis, int64_t first, int64_t tap, Lanes lanes, Value* stop,
                   const std::function<Value*(const Coordinate& from, Lanes lanes)>& read);
// Calls step for each tap with the carried value. A few taps with constant bounds are unrolled.
Value* ForTaps(KernelBuilder& b, const Taps& taps, Value* carried,
               const std::function<Value*(Value* tap, Value* carried)>& step);

}  // namespace hone
