// ScatterND, ScatterElements and TensorScatter as Relay's scatters. Known indices are checked here.
#include <fmt/format.h>

#include "compiler/frontend/onnx/count_join.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Relay's name of a reduction.
std::string JoinOf(const OnnxNodeView& view) {
  const std::string reduction = view.String("reduction", "none");
  if (reduction == "none") return "update";
  if (reduction == "add" || reduction == "mul" || reduction == "max" || reduction == "min") return reduction;
  RefuseNode(fmt::format("reduction=\"{}\" is not supported; none, add, mul, max and min are", reduction));
}

// A run skips updates whose index is outside; a model that is known to have such indices is refused.
void CheckIndex(double index, int64_t extent) {
  const auto at = static_cast<int64_t>(index);
  if (at < -extent || at >= extent) RefuseNode(fmt::format("index {} is outside {}", at, extent));
}

// The parts of each position are contiguous.
void CheckPositions(const Tensor& indices, const Shape& data) {
  const int64_t depth = indices.shape().empty() ? 0 : indices.shape().back();
  if (depth < 1 || depth > static_cast<int64_t>(data.size())) {
    RefuseNode(fmt::format("indices of {} axes for {}", depth, ShapeText(data)));
  }
  for (int64_t i = 0; i < indices.elements(); ++i) CheckIndex(indices.At(i), Nth(data, i % depth));
}

// The positions' parts along data axes whose extents are counted, without negative ones: those count from the run's
// end. `parts` is the number of axes from `first` on; the parts lie along the first axis of the indices if `nd`.
ExprPtr FromFront(const OnnxNodeView& view, const ExprPtr& indices, int64_t first, int64_t parts, bool nd) {
  TypedBuilder& builder = view.builder();
  std::vector<ExprPtr> extents;
  bool any = false;
  for (int64_t axis = first; axis < first + parts; ++axis) {
    any = any || IsCounted(builder, view.Input(0), axis);
    extents.push_back(view.Reshape(ExtentOf(builder, view.Input(0), axis), {1}));
  }
  if (!any) return indices;
  Shape along(builder.ShapeOf(indices).size(), 1);
  if (nd) along[0] = parts;
  const ExprPtr all =
      extents.size() == 1 ? extents[0] : builder.CallOnTuple("concatenate", extents, {{"axis", int64_t{0}}});
  const ExprPtr ends = view.Reshape(AsDType(view, all, builder.DTypeOf(indices)), along);
  const ExprPtr is_negative = view.Call("less", {indices, ScalarLike(view, indices, 0)});
  return view.Call("where", {is_negative, view.Call("add", {indices, ends}), indices});
}

// A scatter whose extents a run may count. Updates behind the indices' counts go to no place.
ExprPtr Scattered(const OnnxNodeView& view, std::string_view op, const ExprPtr& indices, const relay::Attrs& attrs) {
  constexpr double kNoPlace = 2147483647;
  TypedBuilder& builder = view.builder();
  const ExprPtr places = FillBehindCounts(builder, indices, kNoPlace);
  const ExprPtr result = builder.Uncounted(op, {view.Input(0), places, view.Input(2)}, attrs);
  builder.SetCounts(result, builder.CountsOf(view.Input(0)));
  return result;
}

// ONNX has the parts of a position along the last axis, Relay along the first.
std::vector<ExprPtr> ScatterNd(const OnnxNodeView& view) {
  if (const Tensor* known = view.InputValue(1)) CheckPositions(*known, view.InputShape(0));
  const int64_t rank = view.InputRank(1);
  std::vector<int64_t> axes{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d) axes.push_back(d);
  const ExprPtr indices = rank < 2 ? view.Input(1) : view.Call("transpose", {view.Input(1)}, {{"axes", axes}});
  if (rank > 0 && IsCounted(view.builder(), indices, 0)) RefuseNode("the number of a position's parts is counted");
  const int64_t parts = rank > 0 ? view.InputShape(1).back() : 0;
  if (parts > view.InputRank(0)) RefuseNode(fmt::format("{} parts for {}", parts, ShapeText(view.InputShape(0))));
  return {Scattered(view, "scatter_nd", FromFront(view, indices, 0, parts, true), {{"mode", JoinOf(view)}})};
}

std::vector<ExprPtr> ScatterElements(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  if (const Tensor* known = view.InputValue(1)) {
    for (int64_t i = 0; i < known->elements(); ++i) CheckIndex(known->At(i), Nth(view.InputShape(0), axis));
  }
  return {Scattered(view, "scatter_elements", FromFront(view, view.Input(1), axis, 1, false),
                    {{"axis", axis}, {"reduction", JoinOf(view)}})};
}

// The cache with the rows of the update from a position per image on.
ExprPtr WithUpdate(const OnnxNodeView& view, int64_t axis) {
  const ExprPtr& cache = view.Input(0);
  const ExprPtr first = view.HasInput(2) ? AsDType(view, view.Input(2), DType::kInt64) : CountOf(0);
  const ExprPtr joined = WithRows(view.builder(), cache, view.Input(1), axis, first);
  view.builder().SetCounts(joined, view.builder().CountsOf(cache));
  return joined;
}

// Writes rows of a cache, from a position per image on; a circular cache wraps at its end.
std::vector<ExprPtr> TensorScatter(const OnnxNodeView& view) {
  const Shape cache = view.InputShape(0), update = view.InputShape(1);
  const std::string mode = view.String("mode", "linear");
  if (mode != "linear" && mode != "circular") RefuseNode(fmt::format("mode=\"{}\" is not known", mode));
  const int64_t rank = view.InputRank(0), axis = OnnxNodeView::Axis(view.Int("axis", -2), rank);
  if (axis == 0 || update.size() != cache.size()) {
    RefuseNode(fmt::format("update {} along axis {} of {}", ShapeText(update), axis, ShapeText(cache)));
  }
  if (mode == "linear") return {WithUpdate(view, axis)};
  ExprPtr places = Positions(Nth(update, axis), axis, rank);
  if (view.HasInput(2)) {
    Shape per_image(cache.size(), 1);
    per_image[0] = cache[0];
    places = view.Call("add", {places, view.Reshape(AsDType(view, view.Input(2), DType::kInt64), per_image)});
  }
  places = WithScalar(view, "mod", places, static_cast<double>(Nth(cache, axis)));
  const ExprPtr indices = view.Call("broadcast_to", {places}, {{"shape", update}});
  return {view.Call("scatter_elements", {view.Input(0), indices, view.Input(1)},
                    {{"axis", axis}, {"reduction", std::string("update")}})};
}

}  // namespace

OnnxOperatorTable ScatterOperators() {
  return {{"ScatterND",
           3,
           3,
           ScatterNd,
           {"reduction"},
           {.becomes = "add concatenate less reshape scatter_nd transpose where", .takes_counts = true}},
          {"ScatterElements",
           3,
           3,
           ScatterElements,
           {"axis", "reduction"},
           {.becomes = "add less logical_and reshape scatter_elements where", .takes_counts = true}},
          {"Scatter", 3, 3, ScatterElements, {"axis"}, {.becomes = "scatter_elements", .takes_counts = true}},
          {"TensorScatter",
           2,
           3,
           TensorScatter,
           {"axis", "mode"},
           {.becomes = "add append_rows broadcast_to mod reshape scatter_elements", .takes_counts = true}}};
}

}  // namespace hone
