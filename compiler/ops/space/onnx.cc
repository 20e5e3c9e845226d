// Operators made of a reshape, a move and another reshape: DepthToSpace (recognised by a pass), SpaceToDepth, Tile.
#include <fmt/format.h>

#include <utility>

#include "compiler/frontend/onnx/count_reshape.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

int64_t BlockSize(const OnnxNodeView& view) {
  const int64_t block = view.Int("blocksize", 0);
  if (view.InputRank(0) != 4)
    RefuseNode(fmt::format("its data is {}, not N x C x H x W", ShapeText(view.InputShape(0))));
  if (block < 1 || block > 65536) RefuseNode(fmt::format("blocksize is {}", block));
  return block;
}

ExprPtr Permuted(const OnnxNodeView& view, const ExprPtr& parts, const std::vector<int64_t>& axes,
                 const Shape& joined) {
  return view.Reshape(view.Call("transpose", {parts}, {{"axes", axes}}), joined);
}

std::vector<ExprPtr> DepthToSpace(const OnnxNodeView& view) {
  const int64_t b = BlockSize(view);
  const Shape& s = view.InputShape(0);
  const std::string mode = view.String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") RefuseNode(fmt::format("mode \"{}\" is not supported; DCR and CRD are", mode));
  if (s[1] % (b * b) != 0) RefuseNode(fmt::format("{} channels do not make {} x {} places", s[1], b, b));
  const int64_t depth = s[1] / (b * b);
  const Shape joined{s[0], depth, s[2] * b, s[3] * b};
  const auto split = [&](const Shape& shape) { return view.Reshape(view.Input(0), shape); };
  if (mode == "CRD") return {Permuted(view, split({s[0], depth, b, b, s[2], s[3]}), {0, 1, 4, 2, 5, 3}, joined)};
  return {Permuted(view, split({s[0], b, b, depth, s[2], s[3]}), {0, 3, 4, 1, 5, 2}, joined)};
}

// N x C x H / b x b x W / b x b. A run fails if b does not divide a side whose extent is counted.
ExprPtr InBlocks(const OnnxNodeView& view, int64_t b) {
  const ExprPtr& data = view.Input(0);
  const Shape& s = view.InputShape(0);
  if (view.builder().CountsOf(data).empty()) return view.Reshape(data, {s[0], s[1], s[2] / b, b, s[3] / b, b});
  std::vector<ExprPtr> extents;
  for (int64_t d = 0; d < 4; ++d) {
    const ExprPtr extent = ExtentOf(view.builder(), data, d);
    extents.push_back(d < 2 ? extent : view.Call("divide", {extent, CountOf(b)}));
    if (d >= 2) extents.push_back(CountOf(b));
  }
  return ReshapeToExtents(view.builder(), data, std::move(extents));
}

std::vector<ExprPtr> SpaceToDepth(const OnnxNodeView& view) {
  const int64_t b = BlockSize(view);
  const Shape& s = view.InputShape(0);
  if (s[2] % b != 0 || s[3] % b != 0)
    RefuseNode(fmt::format("{} x {} does not split into blocks of {}", s[2], s[3], b));
  const std::string mode = view.String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") RefuseNode(fmt::format("mode \"{}\" is not supported; DCR and CRD are", mode));
  const std::vector<int64_t> axes =
      mode == "CRD" ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4};
  const ExprPtr parts = InBlocks(view, b);
  const Shape& split = view.builder().ShapeOf(parts);
  return {Permuted(view, parts, axes, {split[0], split[1] * b * b, split[2], split[4]})};
}

// Each repeated axis gets a new axis of 1 before it, which is broadcast.
std::vector<ExprPtr> Tile(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  const std::vector<int64_t> repeats = *view.InputInts(1, "repeats");
  if (repeats.size() != shape.size()) RefuseNode(fmt::format("{} repeats of {} axes", repeats.size(), shape.size()));
  Shape split, wide, joined;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] < 0 || repeats[d] > int64_t{1} << 31) RefuseNode(fmt::format("{} repeats", repeats[d]));
    if (repeats[d] != 1) {
      split.push_back(1);
      wide.push_back(repeats[d]);
    }
    split.push_back(shape[d]);
    wide.push_back(shape[d]);
    joined.push_back(shape[d] * repeats[d]);
  }
  if (joined == shape) return {view.Input(0)};
  return {view.Reshape(view.Call("broadcast_to", {view.Reshape(view.Input(0), split)}, {{"shape", wide}}), joined)};
}

}  // namespace

OnnxOperatorTable RearrangeOperators() {
  return {{"DepthToSpace",
           1,
           1,
           DepthToSpace,
           {"blocksize", "mode"},
           {.becomes = "reshape transpose", .takes_counts = true}},
          {"SpaceToDepth",
           1,
           1,
           SpaceToDepth,
           {"blocksize", "mode"},
           {.becomes = "reshape transpose", .takes_counts = true}},
          {"Tile", 2, 2, Tile, {}, {.becomes = "broadcast_to reshape", .takes_counts = true}}};
}

}  // namespace hone
