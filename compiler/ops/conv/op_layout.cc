#include "compiler/ops/conv/op_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "compiler/relay/indexing.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

constexpr std::string_view kImages[] = {"NCHW", "NHWC"};
constexpr std::string_view kKernels[] = {"OIHW", "HWIO", "OHWI", "HWOI"};

bool IsOneOf(std::string_view layout, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), layout) != names.end();
}

std::string Order(const std::string& layout, std::span<const std::string_view> names) {
  return IsOneOf(layout, names) ? layout : std::string(names[0]);
}

void Check(const char* attr, const std::string& layout, std::span<const std::string_view> names) {
  if (IsOneOf(layout, names)) return;
  throw Error(ExitCode::kBadData, fmt::format("{} = \"{}\" must be one of {}", attr, layout, fmt::join(names, ", ")));
}

std::string DataLayout(const Attrs& attrs) { return attrs.GetString("data_layout", kImages[0]); }
std::string KernelLayout(const Attrs& attrs) { return attrs.GetString("kernel_layout", kKernels[0]); }
std::string OutLayout(const Attrs& attrs) {
  const std::string out = attrs.GetString("out_layout");
  return out.empty() ? DataLayout(attrs) : out;
}

}  // namespace

ConvLayouts ConvLayoutsOf(const Attrs& attrs) {
  return {Order(DataLayout(attrs), kImages), Order(KernelLayout(attrs), kKernels), Order(OutLayout(attrs), kImages)};
}

void CheckConvLayouts(const Attrs& attrs) {
  Check("data_layout", DataLayout(attrs), kImages);
  Check("kernel_layout", KernelLayout(attrs), kKernels);
  Check("out_layout", OutLayout(attrs), kImages);
}

std::string PoolLayoutOf(const Attrs& attrs) {
  const std::string layout = attrs.GetString("layout", kImages[0]);
  Check("layout", layout, kImages);
  return layout;
}

std::vector<int64_t> LayoutAxes(std::string_view from, std::string_view to) {
  std::vector<int64_t> axes;
  for (const char axis : to) axes.push_back(static_cast<int64_t>(from.find(axis)));
  return axes;
}

Shape Reordered(const Shape& shape, std::string_view from, std::string_view to) {
  Shape reordered;
  for (const int64_t axis : LayoutAxes(from, to)) reordered.push_back(Nth(shape, axis));
  return reordered;
}

Tensor Reordered(const Tensor& tensor, std::string_view from, std::string_view to) {
  if (from == to) return tensor;
  const Shape shape = Reordered(tensor.shape(), from, to);
  const std::vector<int64_t> strides = Reordered(RowMajorStrides(tensor.shape()), from, to);
  return Gather(tensor, shape, StridedOffsets(shape, strides));
}

}  // namespace hone::relay
