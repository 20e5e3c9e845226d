// ScatterND and ScatterElements. What replaces elements at positions that are known is one gather from the data and the
// updates laid end to end, which fuses with its neighbours; the others are Relay's operators.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/cast_target.h"
#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/frontend/onnx/positions.h"
#include "compiler/frontend/onnx/scalar_like.h"
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

// Where each element of the result lies in the data followed by the updates.
class Sources {
 public:
  explicit Sources(const OnnxNodeView& view) : view_(view), data_(view.InputShape(0)) {
    elements_ = ElementCount(data_);
    view.builder().Spend(elements_ * 8);
    from_.resize(static_cast<size_t>(elements_));
    std::iota(from_.begin(), from_.end(), 0);
  }

  const Shape& data() const { return data_; }
  // `count` updates from number `update` on go to the elements from `at` on.
  void Put(int64_t at, int64_t update, int64_t count) {
    for (int64_t i = 0; i < count; ++i) Nth(from_, at + i) = elements_ + update + i;
  }

  ExprPtr Result() const {
    const ExprPtr all = view_.builder().CallOnTuple("concatenate", {Flat(0), Flat(2)}, {{"axis", int64_t{0}}});
    const ExprPtr from = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {elements_}, from_));
    return view_.Reshape(view_.Call("take", {all, from}, {{"axis", int64_t{0}}}), data_);
  }

 private:
  ExprPtr Flat(int input) const { return view_.Reshape(view_.Input(input), {ElementCount(view_.InputShape(input))}); }

  const OnnxNodeView& view_;
  Shape data_;
  int64_t elements_ = 0;
  std::vector<int64_t> from_;
};

// Whether the result is one gather.
bool IsGather(const OnnxNodeView& view) { return view.InputValue(1) != nullptr && JoinOf(view) == "update"; }

int64_t Placed(double index, int64_t extent) {
  const auto at = static_cast<int64_t>(index);
  if (at < -extent || at >= extent) RefuseNode(fmt::format("index {} is outside {}", at, extent));
  return at < 0 ? at + extent : at;
}

ExprPtr KnownScatterNd(const OnnxNodeView& view) {
  const Tensor& indices = *view.InputValue(1);
  Sources sources(view);
  const Shape& data = sources.data();
  const size_t depth = indices.shape().empty() ? 0 : static_cast<size_t>(indices.shape().back());
  if (depth == 0 || depth > data.size()) RefuseNode(fmt::format("indices of {} axes for {}", depth, ShapeText(data)));
  Shape updates(indices.shape().begin(), indices.shape().end() - 1);
  const int64_t places = ElementCount(updates);
  const int64_t slice = ElementCount(Shape(data.begin() + static_cast<int64_t>(depth), data.end()));
  updates.insert(updates.end(), data.begin() + static_cast<int64_t>(depth), data.end());
  if (view.InputShape(2) != updates) {
    RefuseNode(fmt::format("its updates are {}, they must be {}", ShapeText(view.InputShape(2)), ShapeText(updates)));
  }
  for (int64_t p = 0; p < places; ++p) {
    int64_t at = 0;
    for (size_t d = 0; d < depth; ++d) {
      at = at * data[d] + Placed(indices.At(p * static_cast<int64_t>(depth) + static_cast<int64_t>(d)), data[d]);
    }
    sources.Put(at * slice, p * slice, slice);
  }
  return sources.Result();
}

// ONNX has the parts of a position along the last axis, Relay along the first.
std::vector<ExprPtr> ScatterNd(const OnnxNodeView& view) {
  if (IsGather(view)) return {KnownScatterNd(view)};
  const int64_t rank = view.InputRank(1);
  std::vector<int64_t> axes{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d) axes.push_back(d);
  const ExprPtr indices = rank < 2 ? view.Input(1) : view.Call("transpose", {view.Input(1)}, {{"axes", axes}});
  return {view.Call("scatter_nd", {view.Input(0), indices, view.Input(2)}, {{"mode", JoinOf(view)}})};
}

// The offset in `data` of element `i` of a tensor of shape `indices`, its position along `axis` replaced.
int64_t OffsetOf(int64_t i, const Shape& indices, const Shape& data, size_t axis, int64_t position) {
  int64_t offset = 0, stride = 1;
  for (size_t d = data.size(); d-- > 0;) {
    offset += stride * (d == axis ? position : i % indices[d]);
    i /= indices[d];
    stride *= data[d];
  }
  return offset;
}

ExprPtr KnownScatterElements(const OnnxNodeView& view) {
  const Tensor& indices = *view.InputValue(1);
  Sources sources(view);
  const Shape &data = sources.data(), &shape = indices.shape();
  const auto axis = static_cast<size_t>(OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0)));
  bool fits = shape.size() == data.size() && view.InputShape(2) == shape;
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = d == axis || shape[d] <= data[d];
  if (!fits) {
    RefuseNode(fmt::format("indices {} and updates {} do not fit data {}", ShapeText(shape),
                           ShapeText(view.InputShape(2)), ShapeText(data)));
  }
  for (int64_t i = 0; i < indices.elements(); ++i) {
    sources.Put(OffsetOf(i, shape, data, axis, Placed(indices.At(i), data[axis])), i, 1);
  }
  return sources.Result();
}

std::vector<ExprPtr> ScatterElements(const OnnxNodeView& view) {
  if (IsGather(view)) return {KnownScatterElements(view)};
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  return {view.Call("scatter_elements", {view.Input(0), view.Input(1), view.Input(2)},
                    {{"axis", axis}, {"reduction", JoinOf(view)}})};
}

// Rows of a cache, from a position of each image on; a circular one begins again at its end.
std::vector<ExprPtr> TensorScatter(const OnnxNodeView& view) {
  const Shape cache = view.InputShape(0), update = view.InputShape(1);
  const std::string mode = view.String("mode", "linear");
  if (mode != "linear" && mode != "circular") RefuseNode(fmt::format("mode=\"{}\" is not known", mode));
  const int64_t rank = view.InputRank(0), axis = OnnxNodeView::Axis(view.Int("axis", -2), rank);
  if (axis == 0 || update.size() != cache.size()) {
    RefuseNode(fmt::format("update {} along axis {} of {}", ShapeText(update), axis, ShapeText(cache)));
  }
  ExprPtr places = Positions(Nth(update, axis), axis, rank);
  if (view.HasInput(2)) {
    Shape per_image(cache.size(), 1);
    per_image[0] = cache[0];
    places = view.Call("add", {places, view.Reshape(AsDType(view, view.Input(2), DType::kInt64), per_image)});
  }
  if (mode == "circular") places = WithScalar(view, "mod", places, static_cast<double>(Nth(cache, axis)));
  const ExprPtr indices = view.Call("broadcast_to", {places}, {{"shape", update}});
  return {view.Call("scatter_elements", {view.Input(0), indices, view.Input(1)},
                    {{"axis", axis}, {"reduction", std::string("update")}})};
}

}  // namespace

OnnxOperatorTable ScatterOperators() {
  return {{"ScatterND", 3, 3, ScatterNd, {"reduction"}},
          {"ScatterElements", 3, 3, ScatterElements, {"axis", "reduction"}},
          {"Scatter", 3, 3, ScatterElements, {"axis"}},
          {"TensorScatter", 2, 3, TensorScatter, {"axis", "mode"}}};
}

}  // namespace hone
