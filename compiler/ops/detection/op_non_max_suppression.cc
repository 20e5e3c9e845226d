// Keeps the best of overlapping boxes: the last step of many detectors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

// Overlaps are computed in float32, so that reference and kernel decide alike.
struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;  // left <= right, top <= bottom
  float area() const { return (right - left) * (bottom - top); }
};

// Makes a box of four numbers: two opposite corners (y, x, y, x), or the centre and the size (x, y, width, height).
Box BoxOf(const float* at, bool is_centre) {
  if (is_centre) {
    const float half_width = at[2] / 2, half_height = at[3] / 2;
    return {at[0] - half_width, at[1] - half_height, at[0] + half_width, at[1] + half_height};
  }
  return {std::min(at[1], at[3]), std::min(at[0], at[2]), std::max(at[1], at[3]), std::max(at[0], at[2])};
}

// Whether the intersection is more than `threshold` of the union. False for boxes without area.
bool OverlapsMore(const Box& a, const Box& b, float threshold) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left),
              height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0) || !(height > 0)) return false;
  const float both = width * height, either = a.area() + b.area() - both;
  return both > 0 && a.area() > 0 && b.area() > 0 && either > 0 && both / either > threshold;
}

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

// Kernels hold a box's number in 31 bits.
constexpr int64_t kMostBoxes = INT32_MAX;

TypePtr SuppressionType(const Types& args, const Attrs& attrs) {
  const Shape boxes = TensorArg(args, 0, "boxes", 3).shape, scores = TensorArg(args, 1, "scores", 3).shape;
  if (boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2] || boxes[1] < 1 || boxes[1] > kMostBoxes) {
    Misfit(fmt::format("boxes {} with scores {}; they must be (images, n, 4) and (images, classes, n)",
                       ShapeText(boxes), ShapeText(scores)));
  }
  RowMajorArg(args, 2, "max_output_boxes_per_class", 0);
  RowMajorArg(args, 3, "iou_threshold", 0);
  RowMajorArg(args, 4, "score_threshold", 0);
  const int64_t room = attrs.GetInt("room");
  if (room < 1 || room > boxes[1]) Misfit(fmt::format("room is {}, it must be 1 to {}", room, boxes[1]));
  return TupleType({TensorType({scores[0] * scores[1] * room, 3}, DType::kInt64), TensorType({}, DType::kInt64)});
}

// The boxes of one class in one image that are kept, best first.
std::vector<int64_t> Taken(const Tensors& args, const Attrs& attrs, int64_t image, int64_t pair) {
  const int64_t n = args[0].shape()[1];
  const float* scores = args[1].data<float>() + pair * n;
  const float most_overlap = args[3].data<float>()[0], least_score = args[4].data<float>()[0];
  const int64_t limit = std::min(args[2].data<int64_t>()[0], attrs.GetInt("room"));
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n; ++i) {
    if (std::isnan(least_score) || scores[i] > least_score) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  const auto box = [&](int64_t i) {
    return BoxOf(args[0].data<float>() + (image * n + i) * 4, attrs.GetBool("center_point_box"));
  };
  std::vector<int64_t> taken;
  for (const int64_t candidate : order) {
    if (static_cast<int64_t>(taken.size()) >= limit) break;
    const bool hidden = std::any_of(taken.begin(), taken.end(), [&](int64_t other) {
      return OverlapsMore(box(candidate), box(other), most_overlap);
    });
    if (!hidden) taken.push_back(candidate);
  }
  return taken;
}

Tensors Suppression(const Tensors& args, const Attrs& attrs) {
  const Shape& scores = args[1].shape();
  Tensors results{Tensor(DType::kInt64, {scores[0] * scores[1] * attrs.GetInt("room"), 3}), Tensor(DType::kInt64, {})};
  int64_t* to = results[0].data<int64_t>();
  for (int64_t pair = 0; pair < scores[0] * scores[1]; ++pair) {
    for (const int64_t box : Taken(args, attrs, pair / scores[1], pair)) {
      *to++ = pair / scores[1];
      *to++ = pair % scores[1];
      *to++ = box;
    }
  }
  results[1].data<int64_t>()[0] = (to - results[0].data<int64_t>()) / 3;
  return results;
}

}  // namespace

OpTable NonMaxSuppressionOps() {
  OpDef def;
  def.name = "vision.all_class_non_max_suppression";
  def.description =
      "a tuple of the best boxes of each class that overlap no better one too far: image, class and number of each, "
      "the "
      "best of a class first, zeros behind them; and of how many there are";
  def.inputs = {{"boxes", "(images, n, 4)", kKernelFloat},
                {"scores", "(images, classes, n)", kKernelFloat},
                {"max_output_boxes_per_class", "a scalar", DType::kInt64},
                {"iou_threshold", "what two may have in common, of what both cover together", kKernelFloat},
                {"score_threshold", "what a score must exceed; NaN for any score", kKernelFloat}};
  def.results = {{"boxes", DType::kInt64}, {"count", DType::kInt64}};
  def.attrs = {{"room", AttrKind::kInt, int64_t{1}, "the most boxes of a class that the result holds"},
               {"center_point_box", AttrKind::kBool, false,
                "a box is its centre and size: x, y, width, height; else two corners: y, x, y, x"}};
  def.support_level = 5;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = SuppressionType;
  def.reference = Suppression;
  return {def};
}

}  // namespace hone::relay
