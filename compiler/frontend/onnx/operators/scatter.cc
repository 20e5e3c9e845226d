// ScatterND and ScatterElements at positions that are known: one gather from the data and the updates laid end to end.
#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/onnx/onnx_operators.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Where each element of the result lies in the data followed by the updates.
class Sources {
 public:
  explicit Sources(const OnnxNodeView& view) : view_(view), data_(view.InputShape(0)) {
    const std::string reduction = view.String("reduction", "none");
    if (reduction != "none") RefuseNode(fmt::format("reduction=\"{}\" is not supported; \"none\" is", reduction));
    elements_ = ElementCount(data_);
    view.builder().Spend(elements_ * 8);
    from_.resize(static_cast<size_t>(elements_));
    std::iota(from_.begin(), from_.end(), 0);
  }

  const Shape& data() const { return data_; }
  // `count` updates from number `update` on replace the elements from `at` on.
  void Replace(int64_t at, int64_t update, int64_t count) {
    for (int64_t i = 0; i < count; ++i) Nth(from_, at + i) = elements_ + update + i;
  }

  ExprPtr Gathered() const {
    const ExprPtr data = view_.Reshape(view_.Input(0), {elements_});
    const ExprPtr updates = view_.Reshape(view_.Input(2), {ElementCount(view_.InputShape(2))});
    const ExprPtr all = view_.builder().CallOnTuple("concatenate", {data, updates}, {{"axis", int64_t{0}}});
    const ExprPtr from = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {elements_}, from_));
    return view_.Reshape(view_.Call("take", {all, from}, {{"axis", int64_t{0}}}), data_);
  }

 private:
  const OnnxNodeView& view_;
  Shape data_;
  int64_t elements_ = 0;
  std::vector<int64_t> from_;
};

const Tensor& Indices(const OnnxNodeView& view) {
  const Tensor* indices = view.InputValue(1);
  if (indices == nullptr) RefuseNode("its indices must be known when the model is imported");
  return *indices;
}

int64_t Placed(double index, int64_t extent) {
  const auto at = static_cast<int64_t>(index);
  if (at < -extent || at >= extent) RefuseNode(fmt::format("index {} is outside {}", at, extent));
  return at < 0 ? at + extent : at;
}

std::vector<ExprPtr> ScatterNd(const OnnxNodeView& view) {
  const Tensor& indices = Indices(view);
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
    sources.Replace(at * slice, p * slice, slice);
  }
  return {sources.Gathered()};
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

std::vector<ExprPtr> ScatterElements(const OnnxNodeView& view) {
  const Tensor& indices = Indices(view);
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
    sources.Replace(OffsetOf(i, shape, data, axis, Placed(indices.At(i), data[axis])), i, 1);
  }
  return {sources.Gathered()};
}

}  // namespace

OnnxOperatorTable ScatterOperators() {
  return {{"ScatterND", 3, 3, ScatterNd, {"reduction"}},
          {"ScatterElements", 3, 3, ScatterElements, {"axis", "reduction"}},
          {"Scatter", 3, 3, ScatterElements, {"axis"}}};
}

}  // namespace hone
