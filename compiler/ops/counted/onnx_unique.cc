// Unique: sorting makes equal slices neighbours. A group then begins where a slice differs from the previous one.
//
//    data      3 1 3 2 1        sorted    1 1 2 3 3      place in the data   1 4 3 0 2
//                               first     x . x x .      (equal ones keep their order)
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// Limit of a slice's elements, because slices are sorted by each of them in turn.
constexpr int64_t kMostColumns = 256;

class Uniques {
 public:
  // `rows`: the slices, each flattened.
  Uniques(const OnnxNodeView& view, ExprPtr rows) : view_(view), rows_(std::move(rows)) {
    const Shape& shape = view.builder().ShapeOf(rows_);
    n_ = shape[0];
    columns_ = shape[1];
    order_ = Positions(n_, 0, 1);
    // Sorts by the last column first, because a sort keeps the order of equal elements.
    for (int64_t column = columns_; column-- > 0;) order_ = Take(order_, Ascending(Take(Column(column), order_)));
    FindFirsts();
    if (view.Int("sorted", 1) == 0) {
      reordered_ = Ascending(FillBehindCounts(view.builder(), places_, static_cast<double>(n_)));
      reordered_ = Counted(reordered_);
    }
  }

  // The position in the data of each group's first slice, in the order of the result.
  ExprPtr Places() const { return InOrder(places_); }

  // The number of slices in each group: groups are successive in the sorted data.
  ExprPtr GroupSizes() const {
    const ExprPtr begins = FillBehindCounts(view_.builder(), firsts_, static_cast<double>(n_));
    const ExprPtr end = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {1}, {n_}));
    const ExprPtr all = Bare(begins);
    const ExprPtr ends = n_ == 1 ? end : Join({Part(all, 1, n_), end});
    return InOrder(Counted(view_.Call("subtract", {ends, all})));
  }

  // The group of each slice: the number of groups that have begun up to it in sorted order.
  ExprPtr Groups() const {
    const ExprPtr begun = view_.Call("where", {is_first_, CountOf(1), CountOf(0)});
    ExprPtr group = WithScalar(view_, "subtract", view_.Call("cumsum", {begun}, {{"axis", int64_t{0}}}), 1);
    if (reordered_ != nullptr) group = Take(NumberInResult(), group);
    return Scattered(group, order_);
  }

 private:
  ExprPtr Take(const ExprPtr& data, const ExprPtr& places) const {
    return view_.Call("take", {data, places}, {{"axis", int64_t{0}}});
  }
  ExprPtr Part(const ExprPtr& data, int64_t begin, int64_t end) const {
    return view_.Call("strided_slice", {data}, {{"begin", Ints{begin}}, {"end", Ints{end}}, {"axes", Ints{0}}});
  }
  ExprPtr Join(std::vector<ExprPtr> fields) const {
    return view_.builder().CallOnTuple("concatenate", std::move(fields), {{"axis", int64_t{0}}});
  }
  ExprPtr Ascending(const ExprPtr& values) const {
    const ExprPtr best = view_.Call("topk", {values}, {{"k", n_}, {"axis", int64_t{0}}, {"is_ascend", true}});
    return view_.builder().Item(best, 1);
  }
  // Writes each of `values` to the position beside it; `positions` cover every place that is read later.
  ExprPtr Scattered(const ExprPtr& values, const ExprPtr& positions) const {
    return view_.Call("scatter_elements", {order_, positions, values}, {{"axis", int64_t{0}}});
  }
  // The number in the result of each group in sorted order. Elements behind the count go to the last place, which no
  // group has then.
  ExprPtr NumberInResult() const {
    const ExprPtr all = FillBehindCounts(view_.builder(), reordered_, static_cast<double>(n_ - 1));
    return Scattered(Positions(n_, 0, 1), Bare(all));
  }
  ExprPtr Column(int64_t column) const {
    if (columns_ == 1) return view_.Reshape(rows_, {n_});
    return view_.Call("take", {rows_, CountOf(column)}, {{"axis", int64_t{1}}});
  }
  // All elements, without a count.
  ExprPtr Bare(const ExprPtr& data) const {
    return view_.builder().Uncounted("reshape", {data}, {{"newshape", Shape{n_}}});
  }
  // The elements with the number of groups as count.
  ExprPtr Counted(const ExprPtr& data) const {
    const ExprPtr copy = Bare(data);
    view_.builder().SetCounts(copy, {count_});
    return copy;
  }
  ExprPtr InOrder(const ExprPtr& groups) const { return reordered_ == nullptr ? groups : Take(groups, reordered_); }

  void FindFirsts() {
    const ExprPtr sorted = Take(rows_, order_);
    const ExprPtr yes = relay::MakeConstant(Tensor::FromVector<uint8_t>(DType::kBool, {1}, {1}));
    is_first_ = yes;
    if (n_ > 1) {
      const ExprPtr differs = view_.Call("not_equal", {Part(sorted, 1, n_), Part(sorted, 0, n_ - 1)});
      const ExprPtr number = view_.Call("where", {differs, CountOf(1), CountOf(0)});
      const ExprPtr any = view_.Call("max", {number}, {{"axis", std::vector<int64_t>{1}}});
      is_first_ = Join({yes, WithScalar(view_, "greater", any, 0)});
    }
    const ExprPtr found = view_.Call("argwhere", {is_first_});
    count_ = view_.builder().Item(found, 1);
    firsts_ = Counted(view_.builder().Item(found, 0));
    places_ = Take(order_, firsts_);
  }

  const OnnxNodeView& view_;
  ExprPtr rows_;
  int64_t n_ = 0, columns_ = 0;
  ExprPtr order_;      // permutation of the data: from position in sorted order to position in the data
  ExprPtr is_first_;   // by position in sorted order: whether a group begins there
  ExprPtr firsts_;     // by group: its beginning in sorted order
  ExprPtr places_;     // by group: position of its first slice in the data
  ExprPtr count_;      // number of groups
  ExprPtr reordered_;  // groups ordered by the position of their first slice; null if they stay in sorted order
};

std::vector<ExprPtr> Unique(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  if (ElementCount(shape) == 0) RefuseNode("its data has no elements");
  int64_t axis = 0;
  ExprPtr data = view.Input(0);
  if (view.HasAttr("axis")) {
    axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  } else {
    data = view.Reshape(data, {ElementCount(shape)});
  }
  std::vector<int64_t> axes{axis};
  const auto rank = static_cast<int64_t>(view.builder().ShapeOf(data).size());
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) axes.push_back(d);
  }
  const int64_t n = Nth(view.builder().ShapeOf(data), axis), columns = ElementCount(shape) / n;
  if (columns > kMostColumns) RefuseNode(fmt::format("slices of {} elements; they may have {}", columns, kMostColumns));
  const auto& outputs = view.node().outputs;
  const auto wants = [&](size_t i) { return i < outputs.size() && !outputs[i].empty(); };
  const ExprPtr first = axis == 0 ? data : view.Call("transpose", {data}, {{"axes", axes}});
  const Uniques uniques(view, view.Reshape(first, {n, columns}));
  const ExprPtr places = uniques.Places();
  return {view.Call("take", {data, places}, {{"axis", axis}}), places, wants(2) ? uniques.Groups() : nullptr,
          wants(3) ? uniques.GroupSizes() : nullptr};
}

// The distinct elements in the order of their first places, each element's place among them, and how often each occurs.
std::vector<ExprPtr> UniqueInOrder(const OnnxNodeView& view) {
  const auto all = ComposedResults(view, "Unique", {view.Input(0)}, {{"sorted", NodeInt(0)}}, 4);
  return {all[0], all[2], all[3]};
}

}  // namespace

OnnxOperatorTable UniqueOperators() {
  return {
      {"Unique",
       1,
       1,
       Unique,
       {"axis", "sorted"},
       {.becomes = "argwhere concatenate cumsum first_positions greater less max not_equal reshape scatter_elements "
                   "strided_slice subtract take topk where"}},
      {"Unique", 1, 1, UniqueInOrder, {}, {}, kMicrosoft}};
}

}  // namespace hone
