#include "core/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/winograd.h"

namespace hone {
namespace {

constexpr int64_t kMaxBlock = 1 << 16;

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void RefuseLayout(std::string_view text, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("'{}' is not a layout such as NCHW or NCHW16c: {}", text, why));
}

bool HasAxis(const std::vector<Layout::Axis>& axes, char name) {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Layout::Axis& axis) { return axis.name == name && axis.block == 0; });
}

// Reads "16c" at `at` and moves `at` past the letter.
Layout::Axis ParseBlock(std::string_view text, size_t& at) {
  const size_t begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  const auto block = ParseInteger(text.substr(begin, at - begin));
  if (!block || *block < 1 || *block > kMaxBlock || text[begin] == '0') RefuseLayout(text, "a block is 1 to 65536");
  if (at == text.size() || !IsSmall(text[at]))
    RefuseLayout(text, "a block's number is followed by its axis in lower case");
  return {static_cast<char>(std::toupper(text[at++])), *block};
}

int64_t DimOf(const Shape& logical, std::string_view logical_axes, char name) {
  return logical[logical_axes.find(name)];
}

// A tensor in a layout, seen from memory: how each physical dimension moves through the logical tensor.
struct Walk {
  struct Dim {
    int64_t extent = 1;
    int64_t logical_stride = 0;  // logical elements that one step moves
    int axis = 0;                // logical axis
    int64_t axis_step = 1;       // coordinates along the axis that one step moves
  };
  std::vector<Dim> dims;
  Shape logical;
};

// Coordinates that one step of dimension d moves along its axis: the product of all later blocks of that axis.
int64_t StepOf(const std::vector<Layout::Axis>& axes, size_t d) {
  int64_t step = 1;
  for (size_t later = 0; later < axes.size(); ++later) {
    const bool inside = axes[later].block != 0 && (later > d || axes[d].block == 0);
    if (inside && axes[later].name == axes[d].name) step *= axes[later].block;
  }
  return step;
}

Walk MakeWalk(const Shape& logical, const Layout& layout) {
  const std::string axes = layout.LogicalAxes();
  const Shape physical = layout.PhysicalShape(logical);
  Shape strides(logical.size(), 1);
  for (size_t i = logical.size(); i-- > 1;) strides[i - 1] = strides[i] * logical[i];
  Walk walk{{}, logical};
  for (size_t d = 0; d < physical.size(); ++d) {
    const Layout::Axis& axis = layout.axes()[d];
    const auto index = static_cast<int>(axes.find(axis.name));
    const int64_t step = StepOf(layout.axes(), d);
    walk.dims.push_back({physical[d], strides[index] * step, index, step});
  }
  return walk;
}

// Calls f(physical offset, logical offset, count, logical stride) for every row along the last physical dimension.
// `count` is the number of its elements inside the logical tensor.
template <typename F>
void ForEachRow(const Walk& walk, F f) {
  const size_t outer = walk.dims.size() - 1;
  const Walk::Dim& last = walk.dims[outer];
  Shape at(outer, 0), coordinate(walk.logical.size(), 0);
  int64_t logical_offset = 0;
  for (int64_t physical_offset = 0;; physical_offset += last.extent) {
    bool inside = true;
    for (size_t a = 0; a < coordinate.size(); ++a) inside = inside && coordinate[a] < walk.logical[a];
    if (inside) {
      const int64_t left = walk.logical[last.axis] - coordinate[last.axis];
      f(physical_offset, logical_offset, std::min(last.extent, (left + last.axis_step - 1) / last.axis_step),
        last.logical_stride);
    }
    size_t d = outer;
    while (d > 0) {
      const Walk::Dim& dim = walk.dims[d - 1];
      const bool carry = ++at[d - 1] == dim.extent;
      const int64_t steps = carry ? 1 - dim.extent : 1;
      logical_offset += steps * dim.logical_stride;
      coordinate[dim.axis] += steps * dim.axis_step;
      if (!carry) break;
      at[--d] = 0;
    }
    if (d == 0) return;
  }
}

// Returns the text without its "@winograd4" and stores the tile in *tile.
std::string_view CutTransform(std::string_view text, int64_t* tile) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return text;
  const std::string_view transform = text.substr(at);
  if (transform != "@winograd2" && transform != "@winograd4")
    RefuseLayout(text, "a transform is @winograd2 or @winograd4");
  *tile = transform.back() - '0';
  return text.substr(0, at);
}

template <typename T>
void PackAs(const T* logical, T* physical, const Walk& walk) {
  ForEachRow(walk, [&](int64_t to, int64_t from, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i) physical[to + i] = logical[from + i * stride];
  });
}

template <typename T>
void UnpackAs(const T* physical, T* logical, const Walk& walk) {
  ForEachRow(walk, [&](int64_t from, int64_t to, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i) logical[to + i * stride] = physical[from + i];
  });
}

}  // namespace

Layout Layout::Parse(std::string_view whole) {
  Layout layout;
  const std::string_view text = CutTransform(whole, &layout.winograd_tile_);
  for (size_t at = 0; at < text.size();) {
    if (IsCapital(text[at])) {
      if (HasAxis(layout.axes_, text[at])) RefuseLayout(text, fmt::format("axis {} is there twice", text[at]));
      layout.axes_.push_back({text[at++], 0});
    } else if (IsDigit(text[at])) {
      const Axis inner = ParseBlock(text, at);
      if (!HasAxis(layout.axes_, inner.name))
        RefuseLayout(text, fmt::format("block of {} without {}", inner.name, inner.name));
      if (std::max<int64_t>(1, layout.BlockOf(inner.name)) * inner.block > kMaxBlock) {
        RefuseLayout(text, fmt::format("more than {} of axis {} lie together", kMaxBlock, inner.name));
      }
      layout.axes_.push_back(inner);
    } else {
      RefuseLayout(text, "it is made of capital letters and blocks such as 16c");
    }
  }
  if (layout.winograd_tile_ != 0) {
    std::string axes;
    for (const Axis& axis : layout.axes_) axes += axis.block == 0 ? std::string(1, axis.name) : "";
    if (axes != "HWOI") RefuseLayout(whole, "transformed weights begin with HWOI");
  }
  return layout;
}

std::string Layout::ToText() const {
  std::string text;
  for (const Axis& axis : axes_) {
    if (axis.block == 0) {
      text += axis.name;
    } else {
      text += fmt::format("{}{}", axis.block, static_cast<char>(std::tolower(axis.name)));
    }
  }
  if (winograd_tile_ != 0) text += fmt::format("@winograd{}", winograd_tile_);
  return text;
}

int64_t Layout::BlockOf(char axis) const {
  int64_t together = 0;
  for (const Axis& held : axes_) {
    if (held.name == axis && held.block != 0) together = std::max<int64_t>(1, together) * held.block;
  }
  return together;
}

bool Layout::blocked() const {
  return std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.block != 0; });
}

std::string Layout::LogicalAxes() const {
  if (winograd_tile_ != 0) return "OIHW";
  std::string axes;
  for (const Axis& axis : axes_) {
    if (axis.block == 0) axes += axis.name;
  }
  return axes;
}

Shape Layout::PhysicalShape(const Shape& logical, std::string_view logical_axes) const {
  std::string ours = LogicalAxes(), theirs(logical_axes);
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  if (ours != theirs || logical.size() != logical_axes.size()) {
    throw Error(ExitCode::kBadData, fmt::format("layout {} does not fit a tensor of shape {} with axes {}", ToText(),
                                                ShapeText(logical), logical_axes));
  }
  Shape physical;
  for (const Axis& axis : axes_) {
    const bool frequency = winograd_tile_ != 0 && (axis.name == 'H' || axis.name == 'W');
    const int64_t block = std::max<int64_t>(1, BlockOf(axis.name));
    const int64_t dim = frequency ? (winograd_tile_ + 2) * block : DimOf(logical, logical_axes, axis.name);
    physical.push_back(axis.block != 0 ? axis.block : dim / block + (dim % block != 0));
  }
  ElementCount(physical);
  return physical;
}

Tensor Pack(const Tensor& logical, const Layout& layout) {
  if (layout.winograd_tile() != 0) {
    const std::string text = layout.ToText();
    return Pack(WinogradWeights(logical, layout.winograd_tile()), Layout::Parse(text.substr(0, text.find('@'))));
  }
  Tensor physical(logical.dtype(), layout.PhysicalShape(logical.shape()));
  if (physical.elements() == 0) return physical;
  if (layout.empty()) return logical.Clone();
  const Walk walk = MakeWalk(logical.shape(), layout);
  switch (DTypeBytes(logical.dtype())) {
    case 8:
      PackAs(logical.data<uint64_t>(), physical.data<uint64_t>(), walk);
      break;
    case 2:
      PackAs(logical.data<uint16_t>(), physical.data<uint16_t>(), walk);
      break;
    case 4:
      PackAs(logical.data<uint32_t>(), physical.data<uint32_t>(), walk);
      break;
    default:
      PackAs(logical.data<uint8_t>(), physical.data<uint8_t>(), walk);
      break;
  }
  return physical;
}

Tensor Unpack(const Tensor& physical, const Layout& layout, const Shape& shape) {
  if (layout.winograd_tile() != 0) throw Error(ExitCode::kBug, "transformed weights cannot be unpacked");
  Tensor logical(physical.dtype(), shape);
  const Shape expected = layout.PhysicalShape(shape);
  if (ElementCount(expected) != physical.elements()) {
    throw Error(ExitCode::kBadData,
                fmt::format("a tensor of shape {} in layout {} has the shape {} in memory, not {}", ShapeText(shape),
                            layout.ToText(), ShapeText(expected), ShapeText(physical.shape())));
  }
  if (logical.elements() == 0) return logical;
  if (layout.empty()) return physical.Clone().Reshaped(shape);
  const Walk walk = MakeWalk(shape, layout);
  switch (DTypeBytes(physical.dtype())) {
    case 8:
      UnpackAs(physical.data<uint64_t>(), logical.data<uint64_t>(), walk);
      break;
    case 2:
      UnpackAs(physical.data<uint16_t>(), logical.data<uint16_t>(), walk);
      break;
    case 4:
      UnpackAs(physical.data<uint32_t>(), logical.data<uint32_t>(), walk);
      break;
    default:
      UnpackAs(physical.data<uint8_t>(), logical.data<uint8_t>(), walk);
      break;
  }
  return logical;
}

}  // namespace hone
