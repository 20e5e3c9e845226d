// Operators that turn other axes into positions of an image: channels, or images that are its phases.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/ceil_div.h"

namespace hone::relay {
namespace {

int64_t BlockSize(const Attrs& attrs) {
  const int64_t size = attrs.GetInt("block_size");
  if (size < 1) Misfit(fmt::format("block_size = {} must be at least 1", size));
  return size;
}

// Whether, in a channel of the data, the position in a block comes before the result's channel ("DCR") or after it.
bool PlaceFirst(const Attrs& attrs) {
  const std::string mode = attrs.GetString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") Misfit(fmt::format("mode = {} must be DCR or CRD", mode));
  return mode == "DCR";
}

TypePtr DepthToSpaceType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = TensorArg(args, 0, "data", 4);
  const int64_t size = BlockSize(attrs);
  PlaceFirst(attrs);
  Shape shape = data.shape;
  if (shape[1] == kAnyDim || shape[1] / size % size != 0 || shape[1] % size != 0) {
    Misfit(fmt::format("{} channels do not make {} x {} places", shape[1], size, size));
  }
  shape[1] /= size * size;
  for (size_t d : {2, 3}) shape[d] = shape[d] == kAnyDim ? kAnyDim : shape[d] * size;
  return TensorType(shape, data.dtype, data.layout);
}

std::vector<Tensor> DepthToSpace(const std::vector<Tensor>& args, const Attrs& attrs) {
  const Shape& from = args[0].shape();
  const int64_t size = BlockSize(attrs), plane = from[2] * from[3], channels = from[1] / (size * size);
  const int64_t channel = PlaceFirst(attrs) ? plane : plane * size * size;
  const int64_t place = PlaceFirst(attrs) ? plane * channels : plane;
  const OffsetWalk offsets({from[0], channels, from[2], size, from[3], size},
                           {from[1] * plane, channel, from[3], place * size, 1, place});
  return {Gather(args[0], {from[0], channels, from[2] * size, from[3] * size}, offsets)};
}

// The way an image is made of its phases.
struct Phases {
  std::vector<int64_t> strides;  // of rows and columns
  std::vector<int64_t> size;     // of the result

  // Number of rows (axis 0) or columns (axis 1) that are `phase` modulo the stride.
  int64_t Count(size_t axis, int64_t phase) const { return CeilDiv(size[axis] - phase, strides[axis]); }
};

Phases PhasesOf(const Attrs& attrs, size_t fields) {
  Phases phases{CheckedInts(attrs, "strides", 2, 1), CheckedInts(attrs, "size", 2, 1)};
  const int64_t count = phases.strides[0] * phases.strides[1];
  if (count != static_cast<int64_t>(fields))
    Misfit(fmt::format("{} phases need as many fields, not {}", count, fields));
  for (size_t axis : {0, 1}) {
    if (phases.strides[axis] <= phases.size[axis]) continue;
    Misfit(fmt::format("{} phases do not fit in {}", phases.strides[axis], phases.size[axis]));
  }
  return phases;
}

// Whether a field is one pixel, which stands for all.
bool IsOnePixel(const Shape& shape) { return shape[0] == 1 && shape[2] == 1 && shape[3] == 1; }

TypePtr InterleaveType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  if (args[0] == nullptr || args[0]->kind != TypeKind::kTuple) {
    Misfit(fmt::format("data is {}, it must be a tuple of tensors", ToText(args[0])));
  }
  const std::vector<TypePtr>& fields = args[0]->fields;
  const Phases phases = PhasesOf(attrs, fields.size());
  const Type& first = TensorArg(fields, 0, "field 0", 4);
  Shape shape{1, first.shape[1], phases.size[0], phases.size[1]};
  for (size_t i = 0; i < fields.size(); ++i) {
    const Type& field = TensorArg(fields, i, fmt::format("field {}", i), 4);
    if (!IsOnePixel(field.shape)) shape[0] = field.shape[0];
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto phase = static_cast<int64_t>(i);
    const Shape whole{shape[0], shape[1], phases.Count(0, phase / phases.strides[1]),
                      phases.Count(1, phase % phases.strides[1])};
    const Shape& own = fields[i]->shape;
    const bool fits = own == whole || (IsOnePixel(own) && own[1] == shape[1]);
    if (fits && fields[i]->dtype == first.dtype && fields[i]->layout == first.layout) continue;
    Misfit(fmt::format("field {} is {}, its phase is {}", i, ToText(fields[i]), ShapeText(whole)));
  }
  return TensorType(shape, first.dtype, first.layout);
}

std::vector<Tensor> Interleave(const std::vector<Tensor>& fields, const Attrs& attrs) {
  const Phases phases = PhasesOf(attrs, fields.size());
  Shape shape{1, fields[0].shape()[1], phases.size[0], phases.size[1]};
  for (const Tensor& field : fields) shape[0] = std::max(shape[0], field.shape()[0]);
  Tensor result(fields[0].dtype(), shape);
  const int64_t bytes = DTypeBytes(result.dtype());
  auto* to = static_cast<char*>(result.raw());
  for (int64_t at = 0; at < result.elements(); ++at, to += bytes) {
    const int64_t column = at % shape[3], row = at / shape[3] % shape[2], plane = at / (shape[3] * shape[2]);
    const int64_t phase = row % phases.strides[0] * phases.strides[1] + column % phases.strides[1];
    const Tensor& field = fields[static_cast<size_t>(phase)];
    const Shape& own = field.shape();
    int64_t from = (plane * own[2] + row / phases.strides[0]) * own[3] + column / phases.strides[1];
    if (IsOnePixel(own)) from = plane % shape[1];
    std::memcpy(to, static_cast<const char*>(field.raw()) + from * bytes, static_cast<size_t>(bytes));
  }
  return {result};
}

OpDef InterleaveOp() {
  OpDef def;
  def.name = "nn.interleave";
  def.description = "the image whose rows and columns, modulo strides, are the images of a tuple";
  def.inputs = {
      {"data",
       "a tuple of (batch, channels, rows, columns), row phases outermost; one of (1, channels, 1, 1) is that "
       "pixel everywhere",
       kAnyElement}};
  def.attrs = {{"strides", AttrKind::kInts, std::vector<int64_t>{1, 1}, "phases of the rows and of the columns"},
               {"size", AttrKind::kInts, std::vector<int64_t>{}, "height and width of the result"}};
  def.support_level = 5;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kNCHWc;
  def.traits.per_image = true;
  def.type_relation = InterleaveType;
  def.reference = Interleave;
  return def;
}

}  // namespace

OpTable SpaceOps() {
  OpDef spread;
  spread.name = "nn.depth_to_space";
  spread.description = "channels of data as places of an image that is block_size times as high and wide";
  spread.inputs = {{"data", "(batch, block_size * block_size * channels, height, width)", kAnyElement}};
  spread.attrs = {{"block_size", AttrKind::kInt, int64_t{1}, "places each way"},
                  {"mode", AttrKind::kString, std::string("DCR"),
                   "DCR: all channels of the first place come first; CRD: all places of the first channel"}};
  spread.support_level = 5;
  spread.pattern = OpPattern::kInjective;
  spread.layout = LayoutRule::kNCHWc;
  spread.traits.per_image = true;
  spread.type_relation = DepthToSpaceType;
  spread.reference = DepthToSpace;
  return {spread, InterleaveOp()};
}

}  // namespace hone::relay
