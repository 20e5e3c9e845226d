// ScatterND and ScatterElements at positions that are known: one gather from the data and the updates laid end to end.
// With a reduction they are gathers of updates, one for each time that an element is met.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "compiler/frontend/onnx/onnx_operators.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

// So many gathers at most: of an element that is met more often the sum is better written in another way.
constexpr size_t kMostRounds = 64;

// The operator of a reduction; empty for none.
std::string_view OperatorOf(const std::string& reduction) {
  if (reduction == "none") return "";
  if (reduction == "add") return "add";
  if (reduction == "mul") return "multiply";
  if (reduction == "max") return "maximum";
  if (reduction == "min") return "minimum";
  RefuseNode(fmt::format("reduction=\"{}\" is not supported; none, add, mul, max and min are", reduction));
}

// Where each element of the result lies in the data followed by the updates, or which updates it is joined with.
class Sources {
 public:
  explicit Sources(const OnnxNodeView& view)
      : view_(view), data_(view.InputShape(0)), operator_(OperatorOf(view.String("reduction", "none"))) {
    elements_ = ElementCount(data_);
    view.builder().Spend(elements_ * 8);
    from_.resize(static_cast<size_t>(elements_));
    std::iota(from_.begin(), from_.end(), 0);
    met_.resize(operator_.empty() ? 0 : from_.size());
  }

  const Shape& data() const { return data_; }
  // `count` updates from number `update` on go to the elements from `at` on.
  void Put(int64_t at, int64_t update, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (operator_.empty()) {
        Nth(from_, at + i) = elements_ + update + i;
      } else {
        Join(at + i, update + i);
      }
    }
  }

  ExprPtr Result() const { return operator_.empty() ? Gathered() : Joined(); }

 private:
  // The updates that elements are joined with at their first, second, ... meeting; -1 for none.
  void Join(int64_t at, int64_t update) {
    const size_t round = Nth(met_, at)++;
    if (round >= kMostRounds) RefuseNode(fmt::format("its indices name an element more than {} times", kMostRounds));
    if (round >= rounds_.size()) {
      view_.builder().Spend(elements_ * 9);
      rounds_.emplace_back(static_cast<size_t>(elements_), -1);
    }
    Nth(rounds_[round], at) = update;
  }

  ExprPtr Flat(int input) const { return view_.Reshape(view_.Input(input), {ElementCount(view_.InputShape(input))}); }

  ExprPtr Gathered() const {
    const ExprPtr all = view_.builder().CallOnTuple("concatenate", {Flat(0), Flat(2)}, {{"axis", int64_t{0}}});
    const ExprPtr from = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {elements_}, from_));
    return view_.Reshape(view_.Call("take", {all, from}, {{"axis", int64_t{0}}}), data_);
  }

  ExprPtr Joined() const {
    ExprPtr result = Flat(0);
    for (const std::vector<int64_t>& round : rounds_) {
      Tensor from(DType::kInt64, {elements_}), is_met(DType::kBool, {elements_});
      for (int64_t i = 0; i < elements_; ++i) {
        from.Set(i, static_cast<double>(std::max<int64_t>(Nth(round, i), 0)));
        is_met.Set(i, Nth(round, i) >= 0 ? 1 : 0);
      }
      const ExprPtr updates = view_.Call("take", {Flat(2), relay::MakeConstant(from)}, {{"axis", int64_t{0}}});
      const ExprPtr joined = view_.Call(operator_, {result, updates});
      result = view_.Call("where", {relay::MakeConstant(is_met), joined, result});
    }
    return view_.Reshape(result, data_);
  }

  const OnnxNodeView& view_;
  Shape data_;
  std::string_view operator_;
  int64_t elements_ = 0;
  std::vector<int64_t> from_;
  std::vector<size_t> met_;
  std::vector<std::vector<int64_t>> rounds_;
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
    sources.Put(at * slice, p * slice, slice);
  }
  return {sources.Result()};
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
    sources.Put(OffsetOf(i, shape, data, axis, Placed(indices.At(i), data[axis])), i, 1);
  }
  return {sources.Result()};
}

}  // namespace

OnnxOperatorTable ScatterOperators() {
  return {{"ScatterND", 3, 3, ScatterNd, {"reduction"}},
          {"ScatterElements", 3, 3, ScatterElements, {"axis", "reduction"}},
          {"Scatter", 3, 3, ScatterElements, {"axis"}}};
}

}  // namespace hone
