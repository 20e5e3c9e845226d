// nn.conv2d, nn.conv3d, and both transposed. Shapes are (N, C, H, W), for nn.conv2d in the order that its layouts name,
// and (N, C, D, H, W) for volumes.
#include <fmt/format.h>

#include <array>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/ops/conv/op_reference.h"
#include "compiler/ops/matmul/op_products.h"
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "core/text/printable.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

// Limit for images and kernels: products with strides and dilations stay within int64.
constexpr int64_t kLargestExtent = int64_t{1} << 30;

int64_t GroupsOf(const Attrs& attrs) {
  const int64_t groups = attrs.GetInt("groups", 1);
  if (groups < 1) Misfit(fmt::format("groups = {} must be at least 1", groups));
  return groups;
}

ConvGeometry GeometryOf(const Attrs& attrs) {
  const auto strides = CheckedInts(attrs, "strides", 2, 1, {1, 1});
  const auto padding = CheckedInts(attrs, "padding", 4, 0, {0, 0, 0, 0});
  const auto dilation = CheckedInts(attrs, "dilation", 2, 1, {1, 1});
  return {{strides[0], strides[1]},
          {padding[0], padding[1], padding[2], padding[3]},
          {dilation[0], dilation[1]},
          GroupsOf(attrs)};
}

ConvGeometry VolumeGeometryOf(const Attrs& attrs) {
  const auto strides = CheckedInts(attrs, "strides", 3, 1, {1, 1, 1});
  const auto padding = CheckedInts(attrs, "padding", 6, 0, std::vector<int64_t>(6, 0));
  const auto dilation = CheckedInts(attrs, "dilation", 3, 1, {1, 1, 1});
  return {{strides[1], strides[2]},
          {padding[1], padding[2], padding[4], padding[5]},
          {dilation[1], dilation[2]},
          GroupsOf(attrs),
          strides[0],
          padding[0],
          padding[3],
          dilation[0]};
}

// The weight's type from the data and the attributes, if they suffice. `channels_first` is the transposed convolution's
// order: input channels, then outputs per group.
void FillWeight(Types& args, const Attrs& attrs, size_t spatial, bool channels_first) {
  if (attrs.GetInts("kernel_size").empty()) return;
  const std::vector<int64_t> kernel = CheckedInts(attrs, "kernel_size", spatial, 1);
  const int64_t outputs = attrs.GetInt("channels");
  const int64_t groups = attrs.GetInt("groups", 1);
  if (args[1] != nullptr || args[0] == nullptr || args[0]->shape.size() != spatial + 2) return;
  const ConvLayouts layouts = ConvLayoutsOf(attrs);
  const bool images = spatial == 2;
  const int64_t inputs = (images ? Reordered(args[0]->shape, layouts.data, "NCHW") : args[0]->shape)[1];
  if (outputs < 1 || groups < 1 || inputs == kAnyDim) return;
  if (inputs % groups != 0 || outputs % groups != 0) {
    Misfit(fmt::format("groups = {} must divide {} input and {} output channels", groups, inputs, outputs));
  }
  Shape weight{channels_first ? inputs : outputs, (channels_first ? outputs : inputs) / groups};
  weight.insert(weight.end(), kernel.begin(), kernel.end());
  const DType dtype = args[0]->dtype == DType::kUInt8 ? DType::kInt8 : args[0]->dtype;
  args[1] = TensorType(images ? Reordered(weight, "OIHW", layouts.kernel) : weight, dtype);
}

void CheckKernel(const Shape& weight, int64_t outputs, const Attrs& attrs) {
  const std::vector<int64_t> asked = attrs.GetInts("kernel_size");
  const std::vector<int64_t> kernel(weight.begin() + 2, weight.end());
  const int64_t channels = attrs.GetInt("channels");
  for (const int64_t dim : kernel) {
    if (dim < 1 || dim > kLargestExtent) {
      Misfit(fmt::format("the weight's kernel must lie in 1..{} each way", kLargestExtent));
    }
  }
  if (!asked.empty() && asked != kernel) {
    Misfit(fmt::format("kernel_size = {}, weight has {}", ToText(asked), ShapeText(kernel)));
  }
  if (channels != 0 && channels != outputs) Misfit(fmt::format("channels = {}, weight gives {}", channels, outputs));
}

void CheckChannels(int64_t data, int64_t weight) {
  if (!DimsFit(data, weight)) Misfit(fmt::format("data has {}, weight takes {}", Counted(data, "channel"), weight));
}

void CheckGroups(int64_t channels, int64_t groups) {
  if (channels % groups != 0) Misfit(fmt::format("groups = {} must divide {} channels", groups, channels));
}

// Takes shapes in the default order.
void CheckOperands(const Shape& data, const Shape& weight, int64_t groups, const Attrs& attrs) {
  if (weight[0] < 1 || weight[1] < 1) Misfit("the weight's channels must be known and not empty");
  CheckKernel(weight, weight[0], attrs);
  CheckGroups(weight[0], groups);
  CheckChannels(data[1], weight[1] * groups);
}

int64_t ConvDim(int64_t in, int64_t before, int64_t after, int64_t kernel, int64_t dilation, int64_t stride) {
  if (in == kAnyDim) return kAnyDim;
  const int64_t reach = (kernel - 1) * dilation + 1;
  if (in + before + after < reach) {
    Misfit(fmt::format("a kernel that reaches {} does not fit in {} with padding {} + {}", reach, in, before, after));
  }
  return (in + before + after - reach) / stride + 1;
}

Shape ConvShape(const Shape& data, const Shape& weight, const ConvGeometry& g) {
  return {data[0], weight[0], ConvDim(data[2], g.padding[0], g.padding[2], weight[2], g.dilation[0], g.strides[0]),
          ConvDim(data[3], g.padding[1], g.padding[3], weight[3], g.dilation[1], g.strides[1])};
}

// The result's memory layout if the data's is blocked: out_layout, or data_layout if that is not given.
std::string BlockedResult(const Type& data, const Attrs& attrs) {
  const std::string layout = attrs.GetString("data_layout", "NCHW");
  if (data.layout != TypeLayout(layout)) {
    Misfit(fmt::format("data lies as {}, data_layout is {}", data.layout.empty() ? "NCHW" : data.layout, layout));
  }
  const std::string out = attrs.GetString("out_layout");
  return TypeLayout(out.empty() ? layout : out);
}

bool IsByte(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUInt8; }

// The result's type: float32; for halves also float16; for bytes int32.
DType ResultDType(DType data, DType weight, const Attrs& attrs) {
  const std::string asked = attrs.GetString("out_dtype");
  const bool bytes = IsByte(data) && weight == DType::kInt8;
  const bool halves = data == DType::kFloat16 && weight == DType::kFloat16;
  const DType otherwise = bytes ? DType::kInt32 : halves ? DType::kFloat16 : DType::kFloat32;
  const bool may_be_float = !bytes && asked == "float32";
  if (asked == DTypeName(otherwise) || may_be_float || (asked.empty() && !bytes)) {
    return may_be_float ? DType::kFloat32 : otherwise;
  }
  Misfit(fmt::format("out_dtype = \"{}\" of {} data and {} weights must be {}{}", asked, DTypeName(data),
                     DTypeName(weight), DTypeName(otherwise), halves ? " or float32" : ""));
}

TypePtr ConvType(const Types& args, const Attrs& attrs) {
  const Type &data = TensorArg(args, 0, "data", 4), &weight = TensorArg(args, 1, "weight", 4);
  const bool blocked = !data.layout.empty();
  if (!blocked) CheckConvLayouts(attrs);
  const ConvLayouts layouts = ConvLayoutsOf(attrs);
  const Shape x = Reordered(data.shape, layouts.data, "NCHW"), w = Reordered(weight.shape, layouts.kernel, "OIHW");
  const ConvGeometry g = GeometryOf(attrs);
  CheckOperands(x, w, g.groups, attrs);
  return TensorType(Reordered(ConvShape(x, w, g), "NCHW", layouts.out), ResultDType(data.dtype, weight.dtype, attrs),
                    blocked ? BlockedResult(data, attrs) : "");
}

Tensors Conv(const Tensors& args, const Attrs& attrs) {
  const ConvGeometry g = GeometryOf(attrs);
  const ConvLayouts layouts = ConvLayoutsOf(attrs);
  const Tensor x = Reordered(args[0], layouts.data, "NCHW"), w = Reordered(args[1], layouts.kernel, "OIHW");
  const Shape out = ConvShape(x.shape(), w.shape(), g);
  const Tensor sums = IsByte(x.dtype()) ? ByteConvReference(x, w, g, out)
                                        : ConvReference(x.As(DType::kFloat32), w.As(DType::kFloat32), g, out);
  return {Reordered(sums.As(ResultDType(x.dtype(), w.dtype(), attrs)), "NCHW", layouts.out)};
}

Shape VolumeShape(const Shape& data, const Shape& weight, const ConvGeometry& g) {
  const auto plane = [](const Shape& shape) { return Shape{shape[0], shape[1], shape[3], shape[4]}; };
  Shape out = ConvShape(plane(data), plane(weight), g);
  out.insert(out.begin() + 2, ConvDim(data[2], g.front, g.back, weight[2], g.depth_dilation, g.depth_stride));
  return out;
}

TypePtr VolumeType(const Types& args, const Attrs& attrs) {
  const Type& data = TensorArg(args, 0, "data", 5);
  const Type& weight = TensorArg(args, 1, "weight", 5);
  const ConvGeometry g = VolumeGeometryOf(attrs);
  CheckOperands(data.shape, weight.shape, g.groups, attrs);
  return TensorType(VolumeShape(data.shape, weight.shape, g), data.dtype);
}

Tensors VolumeConv(const Tensors& args, const Attrs& attrs) {
  const ConvGeometry g = VolumeGeometryOf(attrs);
  return {ConvReference(args[0], args[1], g, VolumeShape(args[0].shape(), args[1].shape(), g))};
}

int64_t TransposedDim(int64_t in, int64_t before, int64_t after, int64_t reach, int64_t stride, int64_t extra) {
  if (in == kAnyDim) return kAnyDim;
  if (in > kLargestExtent) Misfit(fmt::format("an image must reach at most {} each way", kLargestExtent));
  const int64_t out = (in - 1) * stride + reach + extra - before - after;
  if (out < 1) Misfit(fmt::format("padding {} + {} leaves nothing of the result", before, after));
  return out;
}

Shape TransposedShape(const Shape& data, const Shape& weight, const ConvGeometry& g, const Attrs& attrs) {
  const size_t spatial = data.size() - 2;
  const auto extra = CheckedInts(attrs, "output_padding", spatial, 0, std::vector<int64_t>(spatial, 0));
  const std::array<int64_t, 3> before{g.front, g.padding[0], g.padding[1]}, after{g.back, g.padding[2], g.padding[3]};
  const std::array<int64_t, 3> strides{g.depth_stride, g.strides[0], g.strides[1]};
  const std::array<int64_t, 3> dilation{g.depth_dilation, g.dilation[0], g.dilation[1]};
  Shape result{data[0], weight[1] * g.groups};
  for (size_t i = 0; i < spatial; ++i) {
    const size_t d = 3 - spatial + i;  // index among depth, height and width
    const int64_t reach = (weight[2 + i] - 1) * dilation[d] + 1;
    result.push_back(TransposedDim(data[2 + i], before[d], after[d], reach, strides[d], extra[i]));
  }
  return result;
}

ConvGeometry TransposedGeometryOf(const Attrs& attrs, size_t rank) {
  return rank == 5 ? VolumeGeometryOf(attrs) : GeometryOf(attrs);
}

TypePtr TransposedType(const Types& args, const Attrs& attrs, int rank) {
  const Type &data = RowMajorArg(args, 0, "data", rank), &weight = TensorArg(args, 1, "weight", rank);
  const ConvGeometry g = TransposedGeometryOf(attrs, data.shape.size());
  if (weight.shape[0] < 1 || weight.shape[1] < 1) Misfit("the weight's channels must be known and not empty");
  CheckGroups(weight.shape[0], g.groups);
  CheckKernel(weight.shape, weight.shape[1] * g.groups, attrs);
  CheckChannels(data.shape[1], weight.shape[0]);
  return TensorType(TransposedShape(data.shape, weight.shape, g, attrs), data.dtype);
}

Tensors ConvTranspose(const Tensors& args, const Attrs& attrs) {
  const ConvGeometry g = TransposedGeometryOf(attrs, args[0].shape().size());
  return {ConvTransposeReference(args[0], args[1], g, TransposedShape(args[0].shape(), args[1].shape(), g, attrs))};
}

AttrSpec Ints(std::string name, std::vector<int64_t> otherwise, std::string description, bool always_print = false) {
  return {std::move(name), AttrKind::kInts, std::move(otherwise), std::move(description), always_print};
}

AttrSpec Text(std::string name, std::string otherwise, std::string description) {
  return {std::move(name), AttrKind::kString, std::move(otherwise), std::move(description)};
}

const AttrSpec kGroups{"groups", AttrKind::kInt, int64_t{1}, "parts of the channels that do not see each other"};
const AttrSpec kChannels{"channels", AttrKind::kInt, int64_t{0}, "output channels; 0 means as weight says"};

OpDef ConvOp() {
  OpDef def;
  def.name = "nn.conv2d";
  def.description = "each output is the sum of a window of data times weight";
  constexpr DTypeSet kHalf = DType::kFloat16;
  def.inputs = {{"data", "(batch, channels, height, width), or as data_layout says", kFactors | kHalf | kBytes},
                {"weight", "(outputs, channels / groups, height, width), or as kernel_layout says",
                 ElementRule::With(0, {{kFactors, kFactors}, {kHalf, kHalf}, {kBytes, DType::kInt8}})}};
  def.results = {
      {"result",
       ElementRule::With(0, {{kFactors, kKernelFloat}, {kHalf, kHalf | kKernelFloat}, {kBytes, DType::kInt32}})}};
  def.attrs = {Ints("strides", {1, 1}, "steps of the window"),
               Ints("padding", {0, 0, 0, 0}, "top, left, bottom, right", true),
               Ints("dilation", {1, 1}, "distance between taps of the window"),
               kGroups,
               kChannels,
               Ints("kernel_size", {}, "height and width of the window; none given means as weight says"),
               Text("data_layout", "NCHW", "data's axes: NCHW or NHWC"),
               Text("kernel_layout", "OIHW", "weight's axes: OIHW, HWIO, OHWI or HWOI"),
               Text("out_layout", "", "the result's axes: NCHW or NHWC; empty means as data"),
               Text("out_dtype", "", "of the result: int32 of bytes, else empty or float32; empty means as data"),
               IntegralAttr(),
               LongSumsAttr(),
               KeepFloat32Attr(),
               ExactMathAttr()};
  def.support_level = 2;
  def.pattern = OpPattern::kAnchor;
  def.layout = LayoutRule::kAnchor;
  // Used by the generic generator for a convolution that no schedule takes.
  def.traits = {.per_image = true, .heads = true};
  def.type_relation = ConvType;
  def.fill_types = [](Types& args, const Attrs& attrs) { FillWeight(args, attrs, 2, false); };
  def.reference = Conv;
  return def;
}

OpDef VolumeConvOp() {
  OpDef def;
  def.name = "nn.conv3d";
  def.description = "each output is the sum of a window of data times weight, over depth, height and width";
  def.inputs = {{"data", "(batch, channels, depth, height, width)", kKernelFloat},
                {"weight", "(outputs, channels / groups, depth, height, width)", kKernelFloat}};
  def.attrs = {Ints("strides", {1, 1, 1}, "steps of the window"),
               Ints("padding", {0, 0, 0, 0, 0, 0}, "front, top, left, back, bottom, right", true),
               Ints("dilation", {1, 1, 1}, "distance between taps of the window"),
               kGroups,
               kChannels,
               Ints("kernel_size", {}, "depth, height and width of the window; none given means as weight says"),
               KeepFloat32Attr(),
               ExactMathAttr()};
  def.support_level = 2;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = VolumeType;
  def.fill_types = [](Types& args, const Attrs& attrs) { FillWeight(args, attrs, 3, false); };
  def.reference = VolumeConv;
  return def;
}

// The transposed convolution over `spatial` spatial dimensions.
OpDef ConvTransposeOp(size_t spatial) {
  const bool images = spatial == 2;
  const std::string axes = images ? "height, width" : "depth, height, width";
  const std::string sides = images ? "top, left, bottom, right" : "front, top, left, back, bottom, right";
  OpDef def;
  def.name = images ? "nn.conv2d_transpose" : "nn.conv3d_transpose";
  def.description = "each input is spread over a window of the result, times weight";
  def.inputs = {{"data", fmt::format("(batch, channels, {})", axes), kKernelFloat},
                {"weight", fmt::format("(channels, outputs / groups, {})", axes), kKernelFloat}};
  def.attrs = {
      Ints("strides", std::vector<int64_t>(spatial, 1), "distance of two inputs' windows"),
      Ints("padding", std::vector<int64_t>(2 * spatial, 0), fmt::format("cut off the result: {}", sides), true),
      Ints("output_padding", std::vector<int64_t>(spatial, 0), "added to the end of the result along each axis"),
      Ints("dilation", std::vector<int64_t>(spatial, 1), "distance between taps of the window"),
      kGroups,
      kChannels,
      Ints("kernel_size", {}, fmt::format("{} of the window; none given means as weight says", axes)),
      KeepFloat32Attr(),
      ExactMathAttr()};
  def.support_level = 2;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  const int rank = static_cast<int>(spatial) + 2;
  def.type_relation = [rank](const Types& args, const Attrs& attrs) { return TransposedType(args, attrs, rank); };
  def.fill_types = [spatial](Types& args, const Attrs& attrs) { FillWeight(args, attrs, spatial, true); };
  def.reference = ConvTranspose;
  return def;
}

}  // namespace

OpTable ConvOps() { return {ConvOp(), VolumeConvOp(), ConvTransposeOp(2), ConvTransposeOp(3)}; }

}  // namespace hone::relay
