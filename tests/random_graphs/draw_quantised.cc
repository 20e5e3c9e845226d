// Layers in the form of quantised models: each value between them is rounded to 8 bits and back.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

Tensor Filled(DType dtype, const Shape& shape, double value) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, value);
  return tensor;
}

// The node that made a value; null for an input.
const OnnxNode* MakerOf(const GraphMaker& m, const std::string& name) {
  for (const OnnxNode& node : m.graph().nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end()) return &node;
  }
  return nullptr;
}

bool IsStepped(const GraphMaker& m, const std::string& name) {
  const OnnxNode* maker = MakerOf(m, name);
  return maker != nullptr && maker->op_type == "DequantizeLinear";
}

// The scale and zero point of a value in 8 bits.
struct Steps {
  std::string scale, zero;
  double size = 0;
};

// Sometimes the steps are too few for the value's range, so some elements saturate.
Steps DrawSteps(GraphMaker& m, double bound) {
  const bool is_signed = m.Chance(35);
  const DType dtype = is_signed ? DType::kInt8 : DType::kUInt8;
  const int64_t zero = m.Chance(60) ? (is_signed ? 0 : 128) : is_signed ? m.Between(-128, 127) : m.Between(0, 255);
  Steps steps;
  steps.size = static_cast<float>(std::max(bound, 0.1) / 127 * (0.3 + 0.7 * m.Uniform()));
  steps.scale = m.Scalar(steps.size);
  steps.zero = m.Constant(Filled(dtype, {}, static_cast<double>(zero)));
  return steps;
}

// Quantises to 8 bits and dequantises. The result is the last value.
void Requantise(GraphMaker& m, const GraphValue& value) {
  const Steps steps = DrawSteps(m, value.bound);
  const std::string whole = m.Node("QuantizeLinear", {value.name, steps.scale, steps.zero});
  m.Emit("DequantizeLinear", {whole, steps.scale, steps.zero}, 255 * steps.size);
}

// The value itself if it is quantised already, else requantised.
GraphValue Stepped(GraphMaker& m, const GraphValue& value) {
  if (IsStepped(m, value.name)) return value;
  Requantise(m, value);
  return m.last();
}

// The step of a quantised value.
double StepOf(const GraphMaker& m, const GraphValue& value) {
  const std::string& scale = MakerOf(m, value.name)->inputs.at(1);
  for (const auto& [name, tensor] : m.graph().initializers) {
    if (name == scale) return tensor.At(0);
  }
  return 0;
}

Tensor DrawWhole(GraphMaker& m, DType dtype, const Shape& shape) {
  const bool is_signed = dtype == DType::kInt8;
  Tensor whole(dtype, shape);
  for (int64_t i = 0; i < whole.elements(); ++i) {
    whole.Set(i, static_cast<double>(is_signed ? m.Between(m.Chance(5) ? -128 : -127, 127) : m.Between(0, 255)));
  }
  return whole;
}

// A step for 8-bit weights whose products with `summed` values of magnitude 1 sum to about 1.
double TypicalStep(int64_t summed) { return 1 / (73 * std::sqrt(static_cast<double>(std::max<int64_t>(summed, 1)))); }

struct QuantisedWeight {
  std::string name;
  std::vector<double> scales;  // one, or one per output
};

// Integers of 8 bits whose products with `summed` values of magnitude 1 sum to about 1, behind DequantizeLinear.
// Outputs lie along `axis`.
QuantisedWeight DrawWeight(GraphMaker& m, const Shape& shape, int64_t summed, int64_t axis) {
  const bool is_signed = m.Chance(92), each = is_signed && m.Chance(75);
  const int64_t outputs = each ? shape[static_cast<size_t>(axis)] : 1;
  const Tensor whole = DrawWhole(m, is_signed ? DType::kInt8 : DType::kUInt8, shape);
  QuantisedWeight weight;
  Tensor scales(DType::kFloat32, each ? Shape{outputs} : Shape{});
  for (int64_t i = 0; i < scales.elements(); ++i) {
    scales.Set(i, TypicalStep(summed) * (0.5 + m.Uniform()));
    weight.scales.push_back(scales.At(i));
  }
  std::vector<std::string> inputs{m.Constant(whole), m.Constant(scales)};
  const bool has_zero = !is_signed || m.Chance(60);
  if (has_zero) inputs.push_back(m.Constant(Filled(whole.dtype(), scales.shape(), is_signed ? 0 : 128)));
  OnnxAttributes attributes;
  if (each) attributes.emplace_back("axis", IntAttribute(axis));
  weight.name = m.Node("DequantizeLinear", inputs, attributes);
  return weight;
}

// A bias in steps of the products, as quantisers write it, or sometimes in float.
std::string DrawBias(GraphMaker& m, int64_t outputs, double data_step, const QuantisedWeight& weight) {
  if (m.Chance(20)) return m.Weight({outputs}, 0.5);
  Tensor whole(DType::kInt32, {outputs}), scales(DType::kFloat32, {outputs});
  for (int64_t i = 0; i < outputs; ++i) {
    scales.Set(i, data_step * weight.scales[weight.scales.size() == 1 ? 0 : static_cast<size_t>(i)]);
    whole.Set(i, std::round((2 * m.Uniform() - 1) / scales.At(i)));
  }
  return m.Node("DequantizeLinear", {m.Constant(whole), m.Constant(scales)}, {{"axis", IntAttribute(0)}});
}

// Cuts off the last columns, as a causal convolution over rows does.
void CutColumns(GraphMaker& m) {
  const GraphValue sum = m.last();
  const int64_t axis = sum.rank() - 1, cut = std::min<int64_t>(m.Between(1, 4), sum.shape.back() - 1);
  if (cut > 0) m.Emit("Slice", {sum.name, m.Ints({0}), m.Ints({-cut}), m.Ints({axis})}, sum.bound);
}

// The operators after a product in such models, up to the next quantised value.
void Finish(GraphMaker& m) {
  const GraphValue sum = m.last();
  if (m.Chance(20)) {
    const GraphValue* other = m.Pick([&](const GraphValue& v) { return v.shape == sum.shape && IsStepped(m, v.name); });
    if (other != nullptr) {
      const GraphValue residual = *other;
      if (m.Chance(70)) Requantise(m, sum);
      m.Emit("Add", {m.last().name, residual.name}, m.last().bound + residual.bound);
    }
  }
  if (m.Chance(50)) {
    const std::string op = m.OneOf<std::string>({"Relu", "Relu", "Clip", "HardSwish", "Sigmoid"});
    const GraphValue before = m.last();
    op == "Clip" ? m.Emit(op, {before.name, m.Scalar(0), m.Scalar(6)}, std::min(before.bound, 6.0))
                 : m.Emit(op, {before.name}, before.bound);
  }
  if (m.Chance(90)) Requantise(m, m.last());
}

bool IsRowsOrImage(const GraphValue& v) { return (v.rank() == 3 || v.rank() == 4) && v.elements() > 0; }

struct DrawnConv {
  Shape weight;
  int64_t summed = 0;  // number of products in one sum
  OnnxAttributes attributes;
};

// A convolution over one or two spatial dimensions; nullopt when it would take too long.
std::optional<DrawnConv> DrawConv(GraphMaker& m, const GraphValue& data, bool depthwise) {
  const int64_t in = data.shape[1], side = m.OneOf<int64_t>({1, 1, 3, 3, 3, 5}), other = m.Chance(85) ? side : 1;
  const int64_t groups = depthwise ? in : m.Chance(15) && in % 4 == 0 ? in / 4 : m.Chance(10) && in % 2 == 0 ? 2 : 1;
  const int64_t out = depthwise ? in : groups == 1 ? m.Channels() : groups * m.Between(1, 4);
  std::vector<int64_t> kernel{side}, pads{m.Chance(75) ? side / 2 : 0};
  if (data.rank() == 4) {
    kernel.push_back(other);
    pads.push_back(m.Chance(75) ? other / 2 : 0);
  }
  pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<int64_t>(kernel.size()));
  const std::vector<int64_t> strides(kernel.size(), m.OneOf<int64_t>({1, 1, 1, 2}));
  DrawnConv conv{{out, in / groups}, in / groups * ElementCount(kernel), {}};
  conv.weight.insert(conv.weight.end(), kernel.begin(), kernel.end());
  if (data.elements() / in * out * conv.summed > m.limits().multiply_adds) return std::nullopt;
  conv.attributes = {{"kernel_shape", IntsAttribute(kernel)},
                     {"strides", IntsAttribute(strides)},
                     {"pads", IntsAttribute(pads)},
                     {"group", IntAttribute(groups)}};
  return conv;
}

bool DrawConvOf(GraphMaker& m, bool depthwise) {
  const GraphValue* x = m.Pick(IsRowsOrImage);
  if (x == nullptr) return false;
  const GraphValue data = Stepped(m, *x);
  const auto conv = DrawConv(m, data, depthwise);
  if (!conv) return false;
  const QuantisedWeight weight = DrawWeight(m, conv->weight, conv->summed, 0);
  std::vector<std::string> inputs{data.name, weight.name};
  if (m.Chance(70)) inputs.push_back(DrawBias(m, conv->weight[0], StepOf(m, data), weight));
  m.Emit("Conv", inputs, 1.5 * data.bound + 1, conv->attributes);
  if (m.Chance(12)) CutColumns(m);
  Finish(m);
  return true;
}

// A convolution with scales computed at run time, as a quantiser without calibration inputs writes it.
bool DrawDynamicConv(GraphMaker& m) {
  const GraphValue* x = m.Pick(IsRowsOrImage);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const auto conv = DrawConv(m, data, m.Chance(20));
  if (!conv) return false;
  m.Node("DynamicQuantizeLinear", {data.name}, {}, 3);
  const std::vector<std::string> bytes = m.graph().nodes.back().outputs;
  const DType dtype = m.Chance(85) ? DType::kInt8 : DType::kUInt8;
  std::vector<std::string> inputs{bytes[0], m.Constant(DrawWhole(m, dtype, conv->weight)), bytes[2]};
  if (dtype == DType::kUInt8) inputs.push_back(m.Constant(Filled(dtype, {}, 128)));
  const std::string sums = m.Node("ConvInteger", inputs, conv->attributes);
  const std::string scale = m.Node("Mul", {bytes[1], m.Scalar(TypicalStep(conv->summed) * (0.5 + m.Uniform()))});
  const std::string real = m.Node("Cast", {sums}, {{"to", IntAttribute(1)}});
  m.Emit("Mul", {real, scale}, 1.5 * data.bound + 1);
  Shape channels(static_cast<size_t>(data.rank()), 1);
  channels[1] = conv->weight[0];
  if (m.Chance(60)) m.Emit("Add", {m.last().name, m.Weight(channels, 0.5)}, m.last().bound + 1);
  if (m.Chance(12)) CutColumns(m);
  Finish(m);
  return true;
}

bool DrawQuantisedConv(GraphMaker& m) { return DrawConvOf(m, false); }
bool DrawQuantisedDepthwise(GraphMaker& m) { return DrawConvOf(m, true); }

bool DrawQuantisedDense(GraphMaker& m) {
  const GraphValue* x =
      m.Pick([](const GraphValue& v) { return (v.rank() == 2 || v.rank() == 3) && v.elements() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = Stepped(m, *x);
  const int64_t depth = data.shape.back(), out = m.Channels();
  if (data.elements() * out > m.limits().multiply_adds) return false;
  const bool gemm = data.rank() == 2 && m.Chance(60);
  const QuantisedWeight weight = DrawWeight(m, gemm ? Shape{out, depth} : Shape{depth, out}, depth, gemm ? 0 : 1);
  std::vector<std::string> inputs{data.name, weight.name};
  if (gemm && m.Chance(70)) inputs.push_back(DrawBias(m, out, StepOf(m, data), weight));
  m.Emit(gemm ? "Gemm" : "MatMul", inputs, 1.5 * data.bound + 1,
         gemm ? OnnxAttributes{{"transB", IntAttribute(1)}} : OnnxAttributes{});
  Finish(m);
  return true;
}

// Two computed matrices, as in attention, with the second transposed so that the depths match.
bool DrawQuantisedPairs(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2 && v.rank() <= 4 && v.elements() > 0; });
  if (x == nullptr) return false;
  const GraphValue a = Stepped(m, *x);
  const auto suits = [&](const GraphValue& v) {
    return v.rank() == a.rank() && v.shape.back() == a.shape.back() &&
           std::equal(v.shape.begin(), v.shape.end() - 2, a.shape.begin());
  };
  const GraphValue b = Stepped(m, *m.Pick(suits));
  if (a.elements() * b.shape[b.rank() - 2] > m.limits().multiply_adds) return false;
  std::vector<int64_t> turned(b.rank());
  std::iota(turned.begin(), turned.end(), 0);
  std::swap(turned.at(turned.size() - 1), turned.at(turned.size() - 2));
  m.Emit("Transpose", {b.name}, b.bound, {{"perm", IntsAttribute(turned)}});
  const double depth = static_cast<double>(a.shape.back());
  m.Emit("MatMul", {a.name, m.last().name}, a.bound * b.bound * std::sqrt(depth));
  Finish(m);
  return true;
}

bool DrawQuantisedAdd(GraphMaker& m) {
  const GraphValue a = Stepped(m, *m.Pick([](const GraphValue&) { return true; }));
  const GraphValue b = Stepped(m, *m.Pick([&](const GraphValue& v) { return v.shape == a.shape; }));
  m.Emit("Add", {a.name, b.name}, a.bound + b.bound);
  if (m.Chance(40)) m.Emit("Relu", {m.last().name}, m.last().bound);
  Requantise(m, m.last());
  return true;
}

// A function of one quantised value, requantised or not before a product with that value; sometimes padded with a value
// other than zero.
bool DrawQuantisedActivation(GraphMaker& m) {
  const GraphValue data = Stepped(m, *m.Pick([](const GraphValue& v) { return v.elements() > 0; }));
  const std::string op = m.OneOf<std::string>({"Sigmoid", "Sigmoid", "HardSwish", "Tanh", "HardSigmoid"});
  m.Emit(op, {data.name}, op == "HardSwish" ? data.bound : 1);
  if (m.Chance(50)) Requantise(m, m.last());
  if (m.Chance(60)) m.Emit("Mul", {data.name, m.last().name}, data.bound * m.last().bound);
  Requantise(m, m.last());
  if (data.rank() != 4 || !m.Chance(30)) return true;
  const std::string width = m.Ints({0, 0, m.Between(0, 2), m.Between(0, 2), 0, 0, m.Between(0, 2), m.Between(0, 2)});
  m.Emit("Pad", {m.last().name, width, m.Scalar(0.5)}, m.last().bound + 0.5);
  return true;
}

bool DrawQuantisedPool(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) {
    return IsRowsOrImage(v) &&
           std::all_of(v.shape.begin() + 2, v.shape.end(), [](int64_t extent) { return extent > 2; });
  });
  if (x == nullptr) return false;
  const GraphValue data = Stepped(m, *x);
  const std::string op = m.OneOf<std::string>({"MaxPool", "MaxPool", "AveragePool", "GlobalAveragePool"});
  const auto spatial = static_cast<size_t>(data.rank() - 2);
  const std::vector<int64_t> kernel(spatial, m.Between(2, 3)), strides(spatial, m.Between(1, 2));
  OnnxAttributes attributes;
  if (op != "GlobalAveragePool") {
    attributes = {{"kernel_shape", IntsAttribute(kernel)}, {"strides", IntsAttribute(strides)}};
    if (m.Chance(50)) attributes.emplace_back("pads", IntsAttribute(std::vector<int64_t>(2 * spatial, 1)));
  }
  m.Emit(op, {data.name}, data.bound, attributes);
  if (m.Chance(85)) Requantise(m, m.last());
  return true;
}

// A concatenation along the channels, with each operand in steps of its own or all in the same.
bool DrawQuantisedConcat(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() == 4; });
  if (x == nullptr) return false;
  const GraphValue a = Stepped(m, *x);
  const auto suits = [&](const GraphValue& v) {
    return v.rank() == 4 && v.shape[0] == a.shape[0] && v.shape[2] == a.shape[2] && v.shape[3] == a.shape[3];
  };
  const GraphValue b = Stepped(m, *m.Pick(suits));
  m.Emit("Concat", {a.name, b.name}, std::max(a.bound, b.bound), {{"axis", IntAttribute(1)}});
  if (m.Chance(80)) Requantise(m, m.last());
  return true;
}

// Only the channels of an image remain, as a classifier's last layer takes them.
bool DrawQuantisedFlatten(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() == 4 && v.elements() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = Stepped(m, *x);
  m.Emit("GlobalAveragePool", {data.name}, data.bound);
  Requantise(m, m.last());
  m.Emit("Flatten", {m.last().name}, m.last().bound);
  return true;
}

}  // namespace

std::vector<DrawnFamily> QuantisedDraws() {
  return {{DrawQuantisedConv, 8},    {DrawDynamicConv, 2},        {DrawQuantisedDepthwise, 3}, {DrawQuantisedDense, 2},
          {DrawQuantisedPairs, 2},   {DrawQuantisedAdd, 2},       {DrawQuantisedPool, 2},      {DrawQuantisedConcat, 2},
          {DrawQuantisedFlatten, 1}, {DrawQuantisedActivation, 2}};
}

}  // namespace hone
