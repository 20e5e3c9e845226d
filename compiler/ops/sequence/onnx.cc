// Sequences and optional values, resolved at import: lengths and positions are known, and elements are results of their
// own.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/model/sequences.h"
#include "compiler/ops/onnx_families.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Elements = std::vector<ExprPtr>;

constexpr int64_t kMostElements = 4096;  // of one sequence, because each is a result of its own

void RequireFew(int64_t elements) {
  if (elements <= kMostElements) return;
  RefuseNode(fmt::format("a sequence of {} elements; {} are the most", elements, kMostElements));
}

std::vector<ExprPtr> SequenceOf(const OnnxNodeView& view, Elements elements) {
  constexpr int64_t kElementBytes = 32;
  RequireFew(static_cast<int64_t>(elements.size()));
  view.builder().Spend(static_cast<int64_t>(elements.size()) * kElementBytes);
  return {view.builder().TupleOf(std::move(elements))};
}

std::vector<ExprPtr> SequenceEmpty(const OnnxNodeView& view) { return SequenceOf(view, {}); }

std::vector<ExprPtr> SequenceConstruct(const OnnxNodeView& view) {
  for (int i = 0; i < view.num_inputs(); ++i) view.Input(i);  // refuses one that is left out
  RequireTensors(view.inputs());
  return SequenceOf(view, view.inputs());
}

// A known position among `count`, where negative ones count from the end. It is the last one if the input is absent.
int64_t PositionIn(const OnnxNodeView& view, int input, int64_t count) {
  if (!view.HasInput(input) && count > 0) return count - 1;
  RequireTensors({view.Input(input)});
  const std::vector<int64_t> given = *view.InputInts(input, "position");
  if (given.size() != 1) RefuseNode(fmt::format("a position of {} numbers; it must be one", given.size()));
  const int64_t position = given[0] < 0 ? given[0] + count : given[0];
  if (position >= 0 && position < count) return position;
  RefuseNode(fmt::format("position {} of a sequence of {}{}", given[0], count,
                         count == 0 ? "; --shape NAME.0=... gives elements to an input that is one" : ""));
}

std::vector<ExprPtr> SequenceAt(const OnnxNodeView& view) {
  const Elements& elements = ElementsOf(view, 0);
  return {Nth(elements, PositionIn(view, 1, static_cast<int64_t>(elements.size())))};
}

// Inserts before the position; without one, at the end.
std::vector<ExprPtr> SequenceInsert(const OnnxNodeView& view) {
  Elements elements = ElementsOf(view, 0);
  RequireTensors({view.Input(1)});
  const auto count = static_cast<int64_t>(elements.size());
  int64_t at = count;
  if (view.HasInput(2)) {
    const auto given = view.InputInts(2, "position");
    at = given->size() == 1 && given->front() == count ? count : PositionIn(view, 2, count);
  }
  elements.insert(elements.begin() + at, view.Input(1));
  return SequenceOf(view, std::move(elements));
}

std::vector<ExprPtr> SequenceErase(const OnnxNodeView& view) {
  Elements elements = ElementsOf(view, 0);
  const auto count = static_cast<int64_t>(elements.size());
  if (count == 0) RefuseNode("its sequence has no elements");
  elements.erase(elements.begin() + PositionIn(view, 1, count));
  return SequenceOf(view, std::move(elements));
}

std::vector<ExprPtr> SequenceLength(const OnnxNodeView& view) {
  Tensor length(DType::kInt64, {});
  length.Set(0, static_cast<double>(ElementsOf(view, 0).size()));
  return {relay::MakeConstant(std::move(length))};
}

// The lengths of the parts of an axis: those given, or one length for all but a shorter last one.
std::vector<int64_t> PartLengths(const OnnxNodeView& view, int64_t extent) {
  if (!view.HasInput(1)) {
    RequireFew(extent);
    return std::vector<int64_t>(static_cast<size_t>(extent), 1);
  }
  std::vector<int64_t> lengths = *view.InputInts(1, "split");
  RequireFew(static_cast<int64_t>(lengths.size()));
  if (view.InputRank(1) > 0) return lengths;
  const int64_t length = lengths[0];
  if (length < 1) RefuseNode(fmt::format("split is {}; it must be 1 or more", length));
  RequireFew(CeilDiv(extent, length));
  lengths.assign(static_cast<size_t>(CeilDiv(extent, length)), length);
  if (extent % length != 0) lengths.back() = extent % length;
  return lengths;
}

std::vector<ExprPtr> SplitToSequence(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  const int64_t extent = Nth(view.InputShape(0), axis);
  const bool drops_axis = !view.HasInput(1) && view.Int("keepdims", 1) == 0;
  Elements elements;
  int64_t begin = 0;
  for (const int64_t length : PartLengths(view, extent)) {
    if (length < 0 || length > extent - begin) RefuseNode(fmt::format("its parts do not add up to {}", extent));
    ExprPtr part = view.Slice(view.Input(0), axis, begin, begin + length);
    if (drops_axis) part = view.Call("squeeze", {part}, {{"axis", std::vector<int64_t>{axis}}});
    elements.push_back(std::move(part));
    begin += length;
  }
  if (begin != extent) RefuseNode(fmt::format("its parts add up to {}, not to {}", begin, extent));
  return SequenceOf(view, std::move(elements));
}

std::vector<ExprPtr> ConcatFromSequence(const OnnxNodeView& view) {
  Elements elements = ElementsOf(view, 0);
  if (elements.empty()) RefuseNode("its sequence has no elements");
  const bool adds_axis = view.Int("new_axis", 0) != 0;
  const auto rank = static_cast<int64_t>(view.builder().ShapeOf(elements[0]).size());
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), adds_axis ? rank + 1 : rank);
  for (ExprPtr& element : elements) {
    if (adds_axis) element = view.Call("expand_dims", {element}, {{"axis", axis}, {"num_newaxis", int64_t{1}}});
  }
  if (elements.size() == 1) return {elements[0]};
  return {view.builder().CallOnTuple("concatenate", std::move(elements), {{"axis", axis}})};
}

// Calls the graph for each element of the first sequence; the other inputs are sequences as long, or tensors.
std::vector<ExprPtr> SequenceMap(const OnnxNodeView& view) {
  const OnnxGraph& body = view.Body("body");
  const size_t count = ElementsOf(view, 0).size();
  std::vector<Elements> results(body.outputs.size());
  for (size_t i = 0; i < count; ++i) {
    std::vector<ExprPtr> inputs;
    for (int k = 0; k < view.num_inputs(); ++k) {
      if (relay::AsTuple(view.Input(k)) == nullptr) {
        inputs.push_back(view.Input(k));
        continue;
      }
      const Elements& elements = ElementsOf(view, k);
      if (elements.size() != count) RefuseNode(fmt::format("sequences of {} and {}", count, elements.size()));
      inputs.push_back(elements[i]);
    }
    const std::vector<ExprPtr> turn = view.Results(body, inputs);
    RequireTensors(turn);
    for (size_t k = 0; k < results.size(); ++k) results[k].push_back(turn.at(k));
  }
  std::vector<ExprPtr> sequences;
  for (Elements& elements : results) sequences.push_back(SequenceOf(view, std::move(elements)).front());
  return sequences;
}

// A value that is present is the value itself.
std::vector<ExprPtr> Optional(const OnnxNodeView& view) { return {view.HasInput(0) ? view.Input(0) : AbsentValue()}; }

std::vector<ExprPtr> OptionalHasElement(const OnnxNodeView& view) {
  Tensor has(DType::kBool, {});
  has.Set(0, view.HasInput(0) && view.Input(0) != AbsentValue() ? 1 : 0);
  return {relay::MakeConstant(std::move(has))};
}

std::vector<ExprPtr> OptionalGetElement(const OnnxNodeView& view) {
  if (view.Input(0) == AbsentValue()) RefuseNode("its optional value is absent");
  return {view.Input(0)};
}

}  // namespace

OnnxOperatorTable SequenceOperators() {
  const OnnxOutcome of_sequences{.takes_counts = true, .takes_sequences = true};
  const auto becoming = [&](const char* operators) {
    OnnxOutcome outcome = of_sequences;
    outcome.becomes = operators;
    return outcome;
  };
  return {{"SequenceEmpty", 0, 0, SequenceEmpty, {"dtype"}, of_sequences},
          {"SequenceConstruct", 0, -1, SequenceConstruct, {}, of_sequences},
          {"SequenceAt", 2, 2, SequenceAt, {}, of_sequences},
          {"SequenceInsert", 2, 3, SequenceInsert, {}, of_sequences},
          {"SequenceErase", 1, 2, SequenceErase, {}, of_sequences},
          {"SequenceLength", 1, 1, SequenceLength, {}, of_sequences},
          {"SequenceMap", 1, -1, SequenceMap, {"body"}, of_sequences},
          {"SplitToSequence", 1, 2, SplitToSequence, {"axis", "keepdims"}, {.becomes = "squeeze strided_slice"}},
          {"ConcatFromSequence", 1, 1, ConcatFromSequence, {"axis", "new_axis"}, becoming("concatenate expand_dims")},
          {"Optional", 0, 1, Optional, {"type"}, of_sequences},
          {"OptionalHasElement", 0, 1, OptionalHasElement, {}, of_sequences},
          {"OptionalGetElement", 1, 1, OptionalGetElement, {}, of_sequences}};
}

}  // namespace hone
