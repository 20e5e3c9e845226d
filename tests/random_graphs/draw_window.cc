// Operators that slide a window: convolutions and pools of odd attributes, and resizing.
#include <algorithm>
#include <cmath>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

// Images and channels may be absent. Spatial axes may not: a window over no elements has no value.
bool HasPlaces(const GraphValue& v) { return std::count(v.shape.begin() + 2, v.shape.end(), 0) == 0; }
bool IsImage(const GraphValue& v) { return (v.rank() == 3 || v.rank() == 4) && HasPlaces(v); }
bool IsImageOrVolume(const GraphValue& v) { return IsImage(v) || (v.rank() == 5 && HasPlaces(v)); }

struct Window {
  std::vector<int64_t> kernel, strides, dilations, pads;
  int64_t taps = 1;
};

// A window whose result has at least one place along every axis. Kernels may be larger than the image: pads make room.
Window DrawWindow(GraphMaker& m, const Shape& data, int64_t widest_pad) {
  const size_t spatial = data.size() - 2;
  const bool square = m.Chance(60);
  Window w;
  std::vector<int64_t> after;
  for (size_t i = 0; i < spatial; ++i) {
    const bool same = square && i > 0;
    w.kernel.push_back(same ? w.kernel[0] : m.OneOf<int64_t>({1, 1, 2, 3, 3, 3, 4, 5, 7}));
    w.strides.push_back(same ? w.strides[0] : m.OneOf<int64_t>({1, 1, 1, 2, 2, 3}));
    w.dilations.push_back(same ? w.dilations[0] : m.OneOf<int64_t>({1, 1, 1, 1, 2, 3}));
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i];
    const int64_t most = widest_pad < 0 ? std::min<int64_t>(reach, 6) : std::min(widest_pad, w.kernel[i] - 1);
    const bool same_size = m.Chance(50) && reach / 2 <= most;
    w.pads.push_back(same_size ? reach / 2 : m.Between(0, most));
    after.push_back(same_size && m.Chance(80) ? reach / 2 : m.Between(0, most));
    w.taps *= w.kernel[i];
  }
  w.pads.insert(w.pads.end(), after.begin(), after.end());
  return w;
}

OnnxAttributes WindowAttributes(const Window& w) {
  return {{"kernel_shape", IntsAttribute(w.kernel)},
          {"strides", IntsAttribute(w.strides)},
          {"pads", IntsAttribute(w.pads)}};
}

bool DrawConv(GraphMaker& m) {
  const GraphValue* x = m.Pick(IsImageOrVolume);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t in = data.shape[1];
  const Window w = m.Chance(30) ? Window{{}, {}, {}, {}, 1} : DrawWindow(m, data.shape, -1);
  int64_t groups = in == 0 ? 1 : m.Chance(25) ? in : m.Chance(15) && in % 2 == 0 ? 2 : 1;
  if (m.Chance(5) && in > 0 && in % 4 == 0) groups = in / 4;
  const int64_t out = groups == 1 ? m.Channels() : groups * (m.Chance(75) ? in / groups : m.Between(1, 3));
  Shape weight{out, in / groups};
  for (size_t i = 0; i + 2 < data.shape.size(); ++i) weight.push_back(w.kernel.empty() ? 1 : w.kernel[i]);
  if (data.elements() * out / groups * w.taps > m.limits().multiply_adds) return false;
  OnnxAttributes attributes = {{"group", IntAttribute(groups)}};
  if (!w.kernel.empty()) {
    for (auto& each : WindowAttributes(w)) attributes.push_back(std::move(each));
    attributes.emplace_back("dilations", IntsAttribute(w.dilations));
  }
  const double scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(weight[1] * w.taps, 1)));
  std::vector<std::string> inputs{data.name, m.Weight(weight, scale)};
  if (m.Chance(60)) inputs.push_back(m.Weight({out}, 0.5));
  m.Emit("Conv", inputs, 1.5 * data.bound + 1, attributes);
  return true;
}

// A convolution with its usual successors.
bool DrawConvBlock(GraphMaker& m) {
  if (!DrawConv(m)) return false;
  const GraphValue conv = m.last();
  const int64_t channels = conv.shape[1];
  if (m.Chance(40)) {
    m.Emit("BatchNormalization",
           {conv.name, m.Positive({channels}), m.Weight({channels}, 0.5), m.Weight({channels}, 0.5),
            m.Positive({channels})},
           3 * conv.bound + 2);
  }
  if (m.Chance(40)) {
    const GraphValue* other = m.Pick([&](const GraphValue& v) { return v.shape == conv.shape && v.name != conv.name; });
    if (other != nullptr) m.Emit("Add", {m.last().name, other->name}, m.last().bound + other->bound);
  }
  if (m.Chance(60))
    m.Emit(m.OneOf<std::string>({"Relu", "Relu", "HardSwish", "Sigmoid"}), {m.last().name}, m.last().bound);
  return true;
}

bool DrawDepthwise(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return IsImage(v) && v.shape[1] > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t channels = data.shape[1];
  const Window w = DrawWindow(m, data.shape, -1);
  Shape weight{channels * (m.Chance(85) ? 1 : 2), 1};
  weight.insert(weight.end(), w.kernel.begin(), w.kernel.end());
  OnnxAttributes attributes = WindowAttributes(w);
  attributes.emplace_back("dilations", IntsAttribute(w.dilations));
  attributes.emplace_back("group", IntAttribute(channels));
  if (data.elements() * w.taps > m.limits().multiply_adds) return false;
  m.Emit("Conv", {data.name, m.Weight(weight, 1 / std::sqrt(static_cast<double>(w.taps)))}, 1.5 * data.bound,
         attributes);
  return true;
}

// The weight as a constant, or computed from a value of the graph and therefore small.
std::string TransposedWeight(GraphMaker& m, const Shape& weight, double scale) {
  const std::string constant = m.Weight(weight, scale);
  const GraphValue* x = m.Chance(20) ? m.Pick([](const GraphValue& v) { return v.elements() > 0; }) : nullptr;
  if (x == nullptr) return constant;
  const std::string one = m.Node("ReduceMax", {x->name}, {{"keepdims", IntAttribute(0)}});
  return m.Node("Mul", {constant, m.Node("Tanh", {one})});
}

// Windows smaller or larger than the strides, borders of any width, with and without output_padding or a requested
// output shape.
bool DrawConvTranspose(GraphMaker& m) {
  const GraphValue* x = m.Pick(IsImageOrVolume);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t in = data.shape[1];
  int64_t groups = m.Chance(25) && in > 0 ? in : 1;
  if (m.Chance(15) && in > 0 && in % 2 == 0) groups = 2;
  const int64_t out = m.Chance(70) ? m.Between(1, 12) : m.Channels();
  const Window w = DrawWindow(m, data.shape, m.Chance(50) ? -1 : 1);
  const int64_t summed = std::max<int64_t>(in / groups * w.taps, 1), each = (out + groups - 1) / groups;
  Shape weight{in, each};
  weight.insert(weight.end(), w.kernel.begin(), w.kernel.end());
  OnnxAttributes attributes = WindowAttributes(w);
  attributes.emplace_back("group", IntAttribute(groups));
  attributes.emplace_back("dilations", IntsAttribute(w.dilations));
  std::vector<int64_t> extra, wanted;
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    extra.push_back(m.Chance(50) ? 0 : m.Between(0, std::max(w.strides[i], w.dilations[i]) - 1));
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    wanted.push_back(m.Between(1, (data.shape[2 + i] - 1) * w.strides[i] + reach + extra[i]));
  }
  attributes.emplace_back("output_padding", IntsAttribute(extra));
  if (m.Chance(15)) attributes.emplace_back("output_shape", IntsAttribute(wanted));
  if (data.elements() * each * w.taps > m.limits().multiply_adds) return false;
  std::vector<std::string> inputs{data.name, TransposedWeight(m, weight, 1 / std::sqrt(static_cast<double>(summed)))};
  if (m.Chance(60)) inputs.push_back(m.Weight({each * groups}, 0.5));
  m.Emit("ConvTranspose", inputs, 1.5 * data.bound + 1, attributes);
  return true;
}

bool DrawPool(GraphMaker& m) {
  const GraphValue* x = m.Pick(IsImageOrVolume);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const bool largest = m.Chance(50);
  const Window w = DrawWindow(m, data.shape, 3);
  OnnxAttributes attributes = WindowAttributes(w);
  attributes.emplace_back("ceil_mode", IntAttribute(m.Chance(20) ? 1 : 0));
  if (largest) {
    if (m.Chance(20)) attributes.emplace_back("dilations", IntsAttribute(w.dilations));
  } else {
    attributes.emplace_back("count_include_pad", IntAttribute(m.Between(0, 1)));
  }
  m.Emit(largest ? "MaxPool" : "AveragePool", {data.name}, data.bound, attributes);
  return true;
}

bool DrawGlobalPool(GraphMaker& m) {
  const GraphValue* x = m.Pick(IsImageOrVolume);
  if (x == nullptr) return false;
  m.Emit(m.Chance(60) ? "GlobalAveragePool" : "GlobalMaxPool", {x->name}, x->bound);
  return true;
}

bool DrawResize(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return IsImage(v) && v.rank() == 4; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const bool nearest = m.Chance(60);
  std::vector<int64_t> sizes = data.shape;
  for (size_t i = 2; i < 4; ++i) sizes[i] = m.Chance(60) ? 2 * sizes[i] : m.Between(1, 2 * sizes[i] + 1);
  const std::string mode = m.OneOf<std::string>({"asymmetric", "half_pixel", "align_corners"});
  OnnxAttributes attributes = {{"mode", TextAttribute(nearest ? "nearest" : "linear")},
                               {"coordinate_transformation_mode", TextAttribute(nearest ? "asymmetric" : mode)}};
  if (nearest) attributes.emplace_back("nearest_mode", TextAttribute("floor"));
  m.Emit("Resize", {data.name, "", "", m.Ints(sizes)}, data.bound, attributes);
  return true;
}

// Samples at positions in and slightly outside the image. Not "nearest", because rounding between two pixels is not
// determined.
bool DrawGridSample(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return IsImage(v) && v.rank() == 4; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  Tensor grid(DType::kFloat32, {data.shape[0], m.Between(1, 6), m.Between(1, 6), 2});
  for (int64_t i = 0; i < grid.elements(); ++i) grid.Set(i, 2.4 * m.Uniform() - 1.2);
  m.Emit("GridSample", {data.name, m.Constant(grid)}, data.bound,
         {{"mode", TextAttribute("bilinear")},
          {"padding_mode", TextAttribute(m.OneOf<std::string>({"zeros", "border", "reflection"}))},
          {"align_corners", IntAttribute(m.Between(0, 1))}});
  return true;
}

}  // namespace

std::vector<DrawnFamily> WindowDraws() {
  return {{DrawConv, 8}, {DrawConvBlock, 8},  {DrawDepthwise, 4}, {DrawConvTranspose, 3},
          {DrawPool, 5}, {DrawGlobalPool, 2}, {DrawResize, 2},    {DrawGridSample, 1}};
}

}  // namespace hone
