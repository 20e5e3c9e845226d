// Operators that change a tensor's type and keep its elements in order.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "core/byte_floats.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;
using ShapeRule = Shape (*)(const Shape& data, const Attrs& attrs);

// The number of elements of `data` without the dims that the new shape copies; kAnyDim if another dim is unknown. A
// copied dim counts on neither side, so it may be unknown.
int64_t ElementsLeft(const Shape& data, const std::vector<bool>& copied) {
  int64_t left = 1;
  for (size_t d = 0; d < data.size(); ++d) {
    if (d < copied.size() && copied[d]) continue;
    if (data[d] == kAnyDim) return kAnyDim;
    left *= data[d];
  }
  return left;
}

// Fills the one dim that is -1, or checks that the numbers of elements agree.
void Balance(Shape& shape, int64_t wildcard, int64_t left, int64_t fixed, const Shape& data) {
  const bool fits = left == kAnyDim || (wildcard < 0 ? left == fixed : fixed > 0 && left % fixed == 0);
  if (!fits) Misfit(fmt::format("data {} does not reshape to {}", ShapeText(data), ShapeText(shape)));
  if (wildcard >= 0) Nth(shape, wildcard) = left == kAnyDim ? kAnyDim : left / fixed;
}

Shape Reshape(const Shape& data, const Attrs& attrs) {
  Shape shape = attrs.GetInts("newshape");
  std::vector<bool> copied(shape.size(), false);
  int64_t wildcard = -1;
  int64_t fixed = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && d < data.size()) {
      shape[d] = data[d];
      copied[d] = true;
    } else if (shape[d] == -1 && wildcard < 0) {
      wildcard = static_cast<int64_t>(d);
    } else if (shape[d] <= 0 || __builtin_mul_overflow(fixed, shape[d], &fixed)) {
      Misfit(fmt::format("newshape = {} must hold sizes, 0 to copy a dim and at most one -1", ToText(shape)));
    }
  }
  Balance(shape, wildcard, ElementsLeft(data, copied), fixed, data);
  return shape;
}

Shape Squeeze(const Shape& data, const Attrs& attrs) {
  const std::vector<int64_t> axes = NormalizedAxes(attrs.GetInts("axis"), data.size());
  Shape shape;
  for (size_t d = 0; d < data.size(); ++d) {
    const bool named = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d));
    if (named && data[d] != 1 && data[d] != kAnyDim) {
      Misfit(fmt::format("axis {} has {} elements, only one can be squeezed", d, data[d]));
    }
    if (!named && !(axes.empty() && data[d] == 1)) shape.push_back(data[d]);
  }
  return shape;
}

Shape ExpandDims(const Shape& data, const Attrs& attrs) {
  const int64_t added = attrs.GetInt("num_newaxis", 1);
  if (added < 0 || added > 16) Misfit(fmt::format("num_newaxis = {} must lie in 0..16", added));
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis"), data.size() + 1);
  Shape shape = data;
  shape.insert(shape.begin() + axis, static_cast<size_t>(added), 1);
  return shape;
}

Shape BatchFlatten(const Shape& data, const Attrs&) {
  if (data.empty()) Misfit("a scalar has no batch to keep");
  const bool known = std::find(data.begin() + 1, data.end(), kAnyDim) == data.end();
  return {data[0], known ? ElementCount(Shape(data.begin() + 1, data.end())) : kAnyDim};
}

OpDef ShapeOp(std::string name, std::string description, int level, std::vector<AttrSpec> attrs, ShapeRule rule) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", kAnyElement}};
  def.attrs = std::move(attrs);
  def.support_level = level;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kNative;
  def.traits = {.moves = true, .homogeneous = true};
  def.type_relation = [rule](const Types& args, const Attrs& at) {
    const Type& data = RowMajorArg(args, 0, "data");
    return TensorType(rule(data.shape, at), data.dtype);
  };
  def.reference = [rule](const Tensors& args, const Attrs& at) {
    return Tensors{args[0].Reshaped(rule(args[0].shape(), at))};
  };
  return def;
}

Tensors ShapeOf(const Tensors& args, const Attrs& attrs) {
  const Shape& shape = args[0].shape();
  Tensor result(ParseDType(attrs.GetString("dtype", "int64")), {static_cast<int64_t>(shape.size())});
  for (size_t d = 0; d < shape.size(); ++d) result.Set(static_cast<int64_t>(d), static_cast<double>(shape[d]));
  return {result};
}

OpDef ShapeOfOp() {
  OpDef def;
  def.name = "shape_of";
  def.description = "the shape of data as a vector";
  def.inputs = {{"data", "any shape", kAnyElement}};
  def.results = {{"shape", kAnyElement}};
  def.attrs = {{"dtype", AttrKind::kString, std::string("int64"), "of the result"}};
  def.pattern = OpPattern::kOpaque;
  def.layout = LayoutRule::kAny;
  def.type_relation = [](const Types& args, const Attrs& attrs) {
    const Type& data = TensorArg(args, 0, "data");
    return TensorType({static_cast<int64_t>(data.shape.size())}, ParseDType(attrs.GetString("dtype", "int64")));
  };
  def.reference = ShapeOf;
  return def;
}

Tensors CastElements(const Tensors& args, const Attrs& attrs) {
  const DType dtype = ParseDType(attrs.GetString("dtype"));
  const ByteFloatFormat* format = FindByteFloat(dtype);
  if (format == nullptr) return {args[0].As(dtype)};
  const ByteConversion by{attrs.GetBool("saturate"), ParseByteRounding(attrs.GetString("rounding", "nearest"))};
  Tensor result(dtype, args[0].shape());
  for (int64_t i = 0; i < result.elements(); ++i) {
    result.data<uint8_t>()[i] = ByteFloatBits(*format, static_cast<float>(args[0].At(i)), by);
  }
  return {result};
}

TypePtr CastType(const Types& args, const Attrs& attrs) {
  const Type& data = TensorArg(args, 0, "data");
  const DType dtype = ParseDType(attrs.GetString("dtype"));
  const ByteFloatFormat* format = FindByteFloat(dtype);
  const ByteRounding rounding = ParseByteRounding(attrs.GetString("rounding", "nearest"));
  if ((attrs.GetBool("saturate") && format == nullptr) ||
      (rounding != ByteRounding::kNearest && (format == nullptr || format->fraction_bits > 0))) {
    Misfit(fmt::format("a result of {} takes no such rounding", DTypeName(dtype)));
  }
  return TensorType(data.shape, dtype, data.layout);
}

// A kernel of it is a view of the data. Positions behind the extent are the data's, so the reference returns all.
OpDef FirstPositionsOp() {
  OpDef def;
  def.name = "first_positions";
  def.description = "data, of which only the positions before the extent are read";
  def.inputs = {{"data", "any shape", kAnyElement}, {"extent", "one number", DType::kInt64}};
  def.results = {{"result", ElementRule::Like(0)}};
  def.attrs = {{"axis", AttrKind::kInt, int64_t{0}, "the axis of the extent"}};
  def.support_level = 10;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = [](const Types& args, const Attrs& attrs) {
    const Type& data = RowMajorArg(args, 0, "data");
    const int64_t axis = attrs.GetInt("axis");
    if (axis < 0 || axis >= static_cast<int64_t>(data.shape.size())) Misfit(fmt::format("there is no axis {}", axis));
    if (ElementCount(RowMajorArg(args, 1, "extent").shape) != 1) Misfit("the extent is not one number");
    return TensorType(data.shape, data.dtype);
  };
  def.reference = [](const Tensors& args, const Attrs&) { return Tensors{args[0]}; };
  return def;
}

OpDef CastOp() {
  OpDef def;
  def.name = "cast";
  def.description =
      "data converted to another dtype: reals round towards zero, or to the least integer where none of 32 or 64 bits "
      "holds them; bytes are the low ones of 32 bits; smaller floats are the nearest";
  def.inputs = {{"data", "any shape", kAnyElement}};
  def.results = {{"result", kAnyElement}};
  def.attrs = {{"dtype", AttrKind::kString, std::string(), "of the result"},
               {"saturate", AttrKind::kBool, false, "whether a float of 8 bits is the largest for greater numbers"},
               {"rounding", AttrKind::kString, std::string("nearest"), "of float8_e8m0fnu: nearest, up or down"}};
  def.support_level = 3;
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.type_relation = CastType;
  def.reference = CastElements;
  return def;
}

OpDef LayoutTransformOp() {
  OpDef def;
  def.name = "layout_transform";
  def.description = "the same logical tensor, lying in memory in another layout";
  def.inputs = {{"data", "a tensor that lies as src_layout says", kAnyElement}};
  def.attrs = {{"src_layout", AttrKind::kString, std::string(), "how data lies, \"NCHW\""},
               {"dst_layout", AttrKind::kString, std::string(), "how the result lies, \"NCHW16c\""}};
  def.support_level = 5;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kAnchor;
  def.type_relation = [](const Types& args, const Attrs& attrs) {
    const Type& data = TensorArg(args, 0, "data");
    const std::string source = TypeLayout(attrs.GetString("src_layout"));
    if (data.layout != source) Misfit(fmt::format("data lies as {}, src_layout is {}", data.layout, source));
    return TensorType(data.shape, data.dtype, TypeLayout(attrs.GetString("dst_layout")));
  };
  def.reference = [](const Tensors& args, const Attrs&) { return Tensors{args[0]}; };
  return def;
}

}  // namespace

OpTable ReshapeOps() {
  const AttrSpec axes{"axis", AttrKind::kInts, std::vector<int64_t>{},
                      "axes of one element; none given means all such"};
  return {
      ShapeOp("reshape", "data under another shape", 3,
              {{"newshape", AttrKind::kInts, std::vector<int64_t>{}, "sizes; 0 copies the dim, one -1 is worked out"}},
              Reshape),
      ShapeOp("squeeze", "data without axes of one element", 3, {axes}, Squeeze),
      ShapeOp("expand_dims", "data with new axes of one element", 1,
              {{"axis", AttrKind::kInt, int64_t{0}, "where the new axes go"},
               {"num_newaxis", AttrKind::kInt, int64_t{1}, "how many"}},
              ExpandDims),
      ShapeOp("nn.batch_flatten", "(batch, everything else)", 1, {}, BatchFlatten),
      ShapeOfOp(),
      FirstPositionsOp(),
      CastOp(),
      LayoutTransformOp(),
  };
}

}  // namespace hone::relay
