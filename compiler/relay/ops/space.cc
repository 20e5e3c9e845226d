// Channels that become places.
#include <fmt/format.h>

#include "compiler/relay/ops/arguments.h"
#include "compiler/relay/ops/indexing.h"
#include "compiler/relay/ops/ops.h"

namespace hone::relay {
namespace {

int64_t BlockSize(const Attrs& attrs) {
  const int64_t size = attrs.GetInt("block_size");
  if (size < 1) Misfit(fmt::format("block_size = {} must be at least 1", size));
  return size;
}

// Whether the place in a block comes before the channel of the result ("DCR") in a channel of the data, or after it.
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
  return {spread};
}

}  // namespace hone::relay
