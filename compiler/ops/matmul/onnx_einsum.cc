// Einsum as sums, transposes and one matrix product per further operand.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/frontend/onnx/count_reshape.h"
#include "compiler/ops/matmul/onnx_product.h"
#include "compiler/ops/onnx_families.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using relay::ExprPtr;

// A letter, or a negative number for an axis of "...", counted from its end.
using Label = int;
using Labels = std::vector<Label>;

struct Operand {
  ExprPtr value;
  Labels labels;
};

bool Has(const Labels& labels, Label label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

// The labels of "bi...j" with `dots` axes for the dots.
Labels LabelsOf(std::string_view term, int64_t dots) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "...") {
      for (int64_t d = dots; d > 0; --d) labels.push_back(static_cast<Label>(-d));
      i += 2;
    } else if ((term[i] >= 'a' && term[i] <= 'z') || (term[i] >= 'A' && term[i] <= 'Z')) {
      labels.push_back(term[i]);
    } else {
      RefuseNode(fmt::format("\"{}\" is not letters and at most one \"...\"", term));
    }
  }
  return labels;
}

bool HasDots(std::string_view term) { return term.find("...") != std::string_view::npos; }

// The terms between commas.
std::vector<std::string> TermsOf(std::string_view text) {
  std::vector<std::string> terms(1);
  for (const char c : text) c == ',' ? void(terms.emplace_back()) : terms.back().push_back(c);
  return terms;
}

class Contraction {
 public:
  explicit Contraction(const OnnxNodeView& view) : view_(view) {
    std::string equation = view.String("equation", "");
    std::erase(equation, ' ');
    const size_t arrow = equation.find("->");
    const std::vector<std::string> terms = TermsOf(equation.substr(0, arrow));
    if (static_cast<int>(terms.size()) != view.num_inputs()) {
      RefuseNode(fmt::format("\"{}\" has {} for {}", equation, Counted(terms.size(), "term"),
                             Counted(view.num_inputs(), "input")));
    }
    int64_t most_dots = 0;
    for (size_t i = 0; i < terms.size(); ++i) most_dots = std::max(most_dots, Add(static_cast<int>(i), terms[i]));
    result_ = arrow == std::string::npos ? Implied() : LabelsOf(equation.substr(arrow + 2), most_dots);
    for (const Label label : result_) {
      if (!extent_.contains(label))
        RefuseNode(fmt::format("no term of \"{}\" names every axis of its result", equation));
      if (std::count(result_.begin(), result_.end(), label) > 1)
        RefuseNode(fmt::format("the result of \"{}\" names an axis twice", equation));
    }
    for (Operand& operand : operands_) operand = WithoutRepeats(operand);
  }

  ExprPtr Value() {
    Operand left = operands_[0];
    for (size_t i = 1; i < operands_.size(); ++i) left = Product(left, operands_[i], NeededAfter(i));
    return Arranged(Summed(left, result_), result_);
  }

 private:
  // Adds a term; returns the number of axes that its dots stand for.
  int64_t Add(int input, const std::string& term) {
    const int64_t named = static_cast<int64_t>(LabelsOf(term, 0).size()), dots = view_.InputRank(input) - named;
    if (dots < 0 || (dots > 0 && !HasDots(term))) {
      RefuseNode(fmt::format("\"{}\" is not of rank {}", term, view_.InputRank(input)));
    }
    Operand operand{view_.Input(input), LabelsOf(term, dots)};
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      const int64_t extent = view_.InputShape(input)[d];
      int64_t& known = extent_.try_emplace(operand.labels[d], extent).first->second;
      if (known != extent && known != 1 && extent != 1) {
        RefuseNode(fmt::format("an axis has {} elements in one input, {} in another", known, extent));
      }
      if (known == 1) known = extent;
      AddCount(operand, d);
    }
    operands_.push_back(std::move(operand));
    return dots;
  }

  // Each operand has the axis's count, or one element there.
  void AddCount(const Operand& operand, size_t d) {
    const Label label = operand.labels[d];
    const Counts& counts = view_.builder().CountsOf(operand.value);
    if (!counts.empty() && counts[d] != nullptr) {
      const auto [known, is_new] = count_.try_emplace(label, counts[d]);
      if (!is_new) view_.builder().RequireEqual(known->second, counts[d]);
    } else if (view_.builder().ShapeOf(operand.value)[d] > 1) {
      fixed_.insert(label);
    }
    if (count_.contains(label) && fixed_.contains(label)) {
      RefuseNode(fmt::format("an axis has {} elements in one input, and an extent counted in a run in another",
                             extent_.at(label)));
    }
  }

  // Drops axes of one element along which other operands are longer, as if the term did not name them. Of axes that a
  // term names twice, only the diagonal remains.
  Operand WithoutRepeats(const Operand& operand) const {
    Operand left = operand;
    for (size_t d = left.labels.size(); d-- > 0;) {
      const Shape& shape = view_.builder().ShapeOf(left.value);
      if (shape[d] != 1 || extent_.at(left.labels[d]) == 1) continue;
      Shape rest = shape;
      rest.erase(rest.begin() + static_cast<int64_t>(d));
      left.value = view_.Reshape(left.value, rest);
      left.labels.erase(left.labels.begin() + static_cast<int64_t>(d));
    }
    const auto is_repeated = [&](Label label) { return std::count(left.labels.begin(), left.labels.end(), label) > 1; };
    for (;;) {
      const auto first = std::find_if(left.labels.begin(), left.labels.end(), is_repeated);
      if (first == left.labels.end()) return left;
      left = Diagonal(left, static_cast<size_t>(first - left.labels.begin()));
    }
  }

  // Joins both axes into one of n * n elements, of which each (n + 1)-th lies on the diagonal. `first` is the first
  // axis of a label that occurs on a later axis too.
  Operand Diagonal(const Operand& operand, size_t first) const {
    const Label label = operand.labels[first];
    if (count_.contains(label)) RefuseNode("the diagonal of axes whose extent is counted in a run");
    Labels rest = operand.labels;
    rest.erase(rest.begin() + static_cast<int64_t>(first));
    rest.erase(std::find(rest.begin() + static_cast<int64_t>(first), rest.end(), label));
    std::vector<int64_t> order{static_cast<int64_t>(first)};
    const auto second = std::find(operand.labels.begin() + order[0] + 1, operand.labels.end(), label);
    order.push_back(second - operand.labels.begin());
    Shape shape;
    for (int64_t d = 0; d < static_cast<int64_t>(operand.labels.size()); ++d) {
      if (d == order[0] || d == order[1]) continue;
      order.push_back(d);
      shape.push_back(view_.builder().ShapeOf(operand.value)[static_cast<size_t>(d)]);
    }
    const int64_t n = extent_.at(label);
    Shape joined = shape;
    joined.insert(joined.begin(), n * n);
    const ExprPtr flat = view_.Reshape(view_.Call("transpose", {operand.value}, {{"axes", order}}), joined);
    const ExprPtr diagonal = view_.Call("strided_slice", {flat},
                                        {{"begin", std::vector<int64_t>{0}},
                                         {"end", std::vector<int64_t>{n * n}},
                                         {"strides", std::vector<int64_t>{n + 1}},
                                         {"axes", std::vector<int64_t>{0}}});
    rest.insert(rest.begin(), label);
    return {diagonal, rest};
  }

  // The result's labels without an arrow: those of the dots, then the letters that occur once, in order.
  Labels Implied() const {
    std::map<Label, int> uses;
    for (const Operand& operand : operands_) {
      for (const Label label : operand.labels) ++uses[label];
    }
    Labels labels;
    for (const auto& [label, count] : uses) {
      if (label < 0 || count == 1) labels.push_back(label);
    }
    return labels;
  }

  Labels NeededAfter(size_t last) const {
    Labels needed = result_;
    for (size_t i = last + 1; i < operands_.size(); ++i) {
      needed.insert(needed.end(), operands_[i].labels.begin(), operands_[i].labels.end());
    }
    return needed;
  }

  Operand Summed(const Operand& operand, const Labels& wanted) const {
    std::vector<int64_t> axes;
    Labels left;
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      if (Has(wanted, operand.labels[d]))
        left.push_back(operand.labels[d]);
      else
        axes.push_back(static_cast<int64_t>(d));
    }
    return axes.empty() ? operand : Operand{view_.Call("sum", {operand.value}, {{"axis", axes}}), left};
  }

  ExprPtr Arranged(const Operand& operand, const Labels& order) const {
    std::vector<int64_t> axes;
    for (const Label label : order) {
      axes.push_back(std::find(operand.labels.begin(), operand.labels.end(), label) - operand.labels.begin());
    }
    if (std::is_sorted(axes.begin(), axes.end())) return operand.value;
    return view_.Call("transpose", {operand.value}, {{"axes", axes}});
  }

  int64_t Extent(const Labels& labels) const {
    int64_t extent = 1;
    for (const Label label : labels) extent *= extent_.at(label);
    return extent;
  }

  ExprPtr Number(const Labels& labels) const {
    ExprPtr number = CountOf(1);
    for (const Label label : labels) {
      const auto count = count_.find(label);
      const ExprPtr extent = count != count_.end() ? count->second : CountOf(extent_.at(label));
      number = view_.Call("multiply", {number, extent});
    }
    return number;
  }

  // The elements with one axis for each group of labels.
  ExprPtr Reshaped(const ExprPtr& data, const std::vector<Labels>& axes) const {
    if (view_.builder().CountsOf(data).empty()) {
      Shape shape;
      for (const Labels& labels : axes) shape.push_back(Extent(labels));
      return view_.Reshape(data, shape);
    }
    std::vector<ExprPtr> extents;
    for (const Labels& labels : axes) extents.push_back(Number(labels));
    return ReshapeToExtents(view_.builder(), data, std::move(extents));
  }

  ExprPtr AsMatrices(const Operand& operand, const Labels& batch, const Labels& rows, const Labels& inner) const {
    Labels order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), inner.begin(), inner.end());
    const ExprPtr arranged = Arranged(operand, order);
    return batch.empty() ? Reshaped(arranged, {rows, inner}) : Reshaped(arranged, {batch, rows, inner});
  }

  Operand Product(const Operand& a, const Operand& b, const Labels& wanted) const {
    Labels of_a = wanted, of_b = wanted;
    of_a.insert(of_a.end(), b.labels.begin(), b.labels.end());
    of_b.insert(of_b.end(), a.labels.begin(), a.labels.end());
    const Operand lhs = Summed(a, of_a), rhs = Summed(b, of_b);
    Labels batch, rows, columns, inner;
    for (const Label label : lhs.labels) {
      (!Has(rhs.labels, label) ? rows : Has(wanted, label) ? batch : inner).push_back(label);
    }
    for (const Label label : rhs.labels) {
      if (!Has(lhs.labels, label)) columns.push_back(label);
    }
    const ExprPtr left = AsMatrices(lhs, batch, rows, inner), right = AsMatrices(rhs, batch, columns, inner);
    const ExprPtr product = RowsByRows(view_, left, right);
    Labels labels = batch;
    labels.insert(labels.end(), rows.begin(), rows.end());
    labels.insert(labels.end(), columns.begin(), columns.end());
    std::vector<Labels> axes;
    for (const Label label : labels) axes.push_back({label});
    return {Reshaped(product, axes), labels};
  }

  const OnnxNodeView& view_;
  std::vector<Operand> operands_;
  std::map<Label, int64_t> extent_;
  std::map<Label, ExprPtr> count_;  // of labels whose extent is counted in a run
  std::set<Label> fixed_;           // labels of an axis that is known to be longer than 1
  Labels result_;
};

std::vector<ExprPtr> Einsum(const OnnxNodeView& view) { return {Contraction(view).Value()}; }

}  // namespace

OnnxOperatorTable EinsumOperators() {
  return {{"Einsum",
           1,
           -1,
           Einsum,
           {"equation"},
           {.becomes = "multiply nn.batch_matmul nn.dense reshape strided_slice sum transpose", .takes_counts = true}}};
}

}  // namespace hone
