// Elements and slices at the positions in a tensor.
#include <fmt/format.h>

#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

TypePtr GatherType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const Type& indices = RowMajorArg(args, 1, "indices");
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis"), data.shape.size());
  bool fits = data.shape.size() == indices.shape.size();
  for (size_t d = 0; fits && d < data.shape.size(); ++d) {
    fits = static_cast<int64_t>(d) == axis || data.shape[d] == kAnyDim || indices.shape[d] <= data.shape[d];
  }
  if (!fits) Misfit(fmt::format("indices {} reach past data {}", ShapeText(indices.shape), ShapeText(data.shape)));
  return TensorType(indices.shape, data.dtype);
}

Tensors GatherElements(const Tensors& args, const Attrs& attrs) {
  const Shape& shape = args[1].shape();
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.GetInt("axis"), shape.size()));
  const std::vector<int64_t> strides = RowMajorStrides(args[0].shape());
  std::vector<int64_t> others = strides;
  others[axis] = 0;
  std::vector<int64_t> offsets = StridedOffsets(shape, others);
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] += strides[axis] * IndexOnAxis(args[1], static_cast<int64_t>(i), args[0].shape()[axis]);
  }
  return {Gather(args[0], shape, offsets)};
}

struct NdShape {
  size_t depth = 0, batch = 0;  // axes that a tuple of indices names; axes shared with the indices
  Shape result;
};

NdShape NdShapeOf(const Shape& data, const Shape& indices, const Attrs& attrs) {
  if (indices.empty() || indices[0] < 1) Misfit("the first axis of indices must hold the parts of a position");
  const int64_t batch = attrs.GetInt("batch_dims", 0), depth = indices[0];
  const auto rank = static_cast<int64_t>(data.size());
  if (batch < 0 || batch >= static_cast<int64_t>(indices.size()) || batch + depth > rank) {
    Misfit(fmt::format("positions of {} parts after {} batch dims do not fit data {}", depth, batch, ShapeText(data)));
  }
  for (int64_t d = 0; d < batch; ++d) {
    if (!DimsFit(Nth(data, d), indices[static_cast<size_t>(d) + 1])) {
      Misfit(fmt::format("batch dims of data {} and indices {} differ", ShapeText(data), ShapeText(indices)));
    }
  }
  NdShape shape{static_cast<size_t>(depth), static_cast<size_t>(batch), Shape(indices.begin() + 1, indices.end())};
  shape.result.insert(shape.result.end(), data.begin() + batch + depth, data.end());
  return shape;
}

TypePtr GatherNdType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  return TensorType(NdShapeOf(data.shape, RowMajorArg(args, 1, "indices").shape, attrs).result, data.dtype);
}

Tensors GatherNd(const Tensors& args, const Attrs& attrs) {
  const Shape& data = args[0].shape();
  const NdShape shape = NdShapeOf(data, args[1].shape(), attrs);
  const int64_t places = args[1].elements() / static_cast<int64_t>(shape.depth);
  const AxisView slices = ViewAxis(data, static_cast<int64_t>(shape.batch + shape.depth) - 1);
  int64_t batches = 1;
  for (size_t d = 0; d < shape.batch; ++d) batches *= data[d];
  std::vector<int64_t> offsets;
  for (int64_t place = 0; place < places; ++place) {
    int64_t at = place / (places / batches);
    for (size_t part = 0; part < shape.depth; ++part) {
      const int64_t extent = data[shape.batch + part];
      at = at * extent + IndexOnAxis(args[1], static_cast<int64_t>(part) * places + place, extent);
    }
    for (int64_t k = 0; k < slices.inner; ++k) offsets.push_back(at * slices.inner + k);
  }
  return {Gather(args[0], shape.result, offsets)};
}

OpDef Gathering(std::string name, std::string description, AttrSpec attr) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", kAnyElement}, {"indices", "negative ones count from the back", kIndices}};
  def.attrs = {std::move(attr)};
  def.support_level = 3;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kNative;
  return def;
}

}  // namespace

OpTable GatherOps() {
  OpDef gather = Gathering("gather", "per element of indices, the one of data at that position along an axis",
                           {"axis", AttrKind::kInt, int64_t{0}, "the axis that is indexed"});
  gather.type_relation = GatherType;
  gather.reference = GatherElements;
  OpDef gather_nd =
      Gathering("gather_nd", "slices of data at positions whose parts lie along the first axis of indices",
                {"batch_dims", AttrKind::kInt, int64_t{0}, "leading axes that data and positions share"});
  gather_nd.type_relation = GatherNdType;
  gather_nd.reference = GatherNd;
  return {gather, gather_nd};
}

}  // namespace hone::relay
