// Loop and Scan, whose iterations are unrolled. If a run decides about their number, each iteration is a branch that it
// may leave out:
//
//    taken_0 = 0 < n            1 in runs that take the iteration
//    x_1 = choose(taken_0, body(x_0), x_0)
//    taken_1 = 1 < n, ...       and, after a condition of the body, only where taken_0 is 1
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/model/sequences.h"
#include "compiler/ops/control/onnx_choose.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Limit of the iterations of one loop, because each one is unrolled.
constexpr int64_t kMostTurns = 1024;

ExprPtr Number(DType dtype, int64_t value) {
  Tensor tensor(dtype, {});
  tensor.Set(0, static_cast<double>(value));
  return relay::MakeConstant(tensor);
}

[[noreturn]] void RefuseTurns(int64_t turns) {
  RefuseNode(
      fmt::format("it may take {} iterations, and {} are the most; --max-dim N bounds a number that a run "
                  "computes",
                  turns == std::numeric_limits<int64_t>::max() ? "any number of" : std::to_string(turns), kMostTurns));
}

// The number of iterations of a loop: at most `most`, and in a run at most `count`, which is null if that is known.
struct Turns {
  int64_t most = std::numeric_limits<int64_t>::max();
  ExprPtr count;
};

// The values that iterations hand on, and those that each iteration adds to a result.
class Iterations {
 public:
  Iterations(const OnnxNodeView& view, std::vector<ExprPtr> carried, ExprPtr count)
      : view_(view), carried_(std::move(carried)), count_(std::move(count)) {}

  const std::vector<ExprPtr>& carried() const { return carried_; }
  int64_t turns() const { return turns_; }
  const ExprPtr& taken() const { return taken_; }

  // A condition that a run computes decides whether the next iterations are taken.
  void GoOnIf(const ExprPtr& condition) {
    const WhileTaken while_taken(view_.builder(), taken_);
    taken_ = TakenIf(view_, condition);
    ends_early_ = true;
  }

  // Adds an iteration. `body` gives the values that it hands on, then those that it adds to results, then any others,
  // which are returned.
  template <typename Body>
  std::vector<ExprPtr> Add(size_t scanned, const Body& body) {
    if (turns_ >= kMostTurns) RefuseTurns(kMostTurns + 1);
    if (count_ != nullptr) {
      // Each condition of the body before this one holds, too.
      const WhileTaken while_taken(view_.builder(), ends_early_ ? taken_ : nullptr);
      taken_ = TakenIf(view_, view_.Call("less", {CountOf(turns_), count_}));
    }
    std::vector<ExprPtr> results;
    {
      const WhileTaken while_taken(view_.builder(), taken_);
      results = body(carried_);
    }
    const size_t handed = carried_.size();
    for (size_t i = 0; i < handed; ++i) carried_[i] = OrBefore(results.at(i), carried_[i]);
    scanned_.resize(scanned);
    for (size_t i = 0; i < scanned; ++i) AddTo(scanned_[i], results.at(handed + i));
    const ExprPtr one_more = CountOf(turns_ + 1);
    done_ = taken_ == nullptr ? one_more : view_.builder().Uncounted("choose", {taken_, one_more, CountOf(1), done_});
    ++turns_;
    return {results.begin() + static_cast<int64_t>(handed + scanned), results.end()};
  }

  // A result of all iterations along a new axis: the first positions are those of a run. `backwards`: the last
  // iteration comes first.
  ExprPtr Stacked(size_t result, int64_t axis, bool backwards) const {
    std::vector<ExprPtr> fields = Nth(scanned_, result);
    RequireTensors(fields);
    if (backwards && taken_ != nullptr) {
      RefuseNode("a run decides about its number of iterations, and a result begins with the last one");
    }
    if (backwards) std::reverse(fields.begin(), fields.end());
    TypedBuilder& builder = view_.builder();
    for (ExprPtr& field : fields) {
      Shape shape = builder.ShapeOf(field);
      shape.insert(shape.begin() + OnnxNodeView::Axis(axis, static_cast<int64_t>(shape.size()) + 1), 1);
      field = view_.Reshape(field, shape);
    }
    const int64_t along = OnnxNodeView::Axis(axis, static_cast<int64_t>(builder.ShapeOf(fields[0]).size()));
    if (taken_ == nullptr) {
      return fields.size() == 1 ? fields[0] : builder.CallOnTuple("concatenate", fields, {{"axis", along}});
    }
    Counts counts = builder.CountsOf(fields[0]);
    counts.resize(builder.ShapeOf(fields[0]).size());
    Nth(counts, along) = done_;
    for (const ExprPtr& field : fields) {
      if (builder.CountsOf(field) != builder.CountsOf(fields[0])) {
        RefuseNode("a run decides about the extents of a result, which differ between iterations");
      }
    }
    // A value of its own, which may have counts.
    ExprPtr stacked = builder.UncountedOnTuple("concatenate", fields, {{"axis", along}});
    builder.SetCounts(stacked, std::move(counts));
    return stacked;
  }

 private:
  // The value in runs that take the iteration, and the value before it in others.
  ExprPtr OrBefore(const ExprPtr& value, const ExprPtr& before) const {
    if (taken_ == nullptr) return value;
    if (relay::AsTuple(value) == nullptr && relay::AsTuple(before) == nullptr) {
      const relay::TypePtr a = view_.builder().TypeOf(before), b = view_.builder().TypeOf(value);
      if (a->dtype != b->dtype || a->shape.size() != b->shape.size()) {
        RefuseNode(fmt::format("an iteration takes {} and hands on {}; they must have one type and rank",
                               relay::ToText(a), relay::ToText(b)));
      }
    }
    return Chosen(view_, {taken_, value, CountOf(1), before});
  }

  // Positions behind those of a run repeat the last value, so that a run need not compute theirs.
  void AddTo(std::vector<ExprPtr>& column, const ExprPtr& value) const {
    if (taken_ == nullptr || relay::AsTuple(value) != nullptr) return column.push_back(value);
    const TypedBuilder& builder = view_.builder();
    column.push_back(OrBefore(value, column.empty()
                                         ? relay::MakeConstant(Tensor(builder.DTypeOf(value), builder.ShapeOf(value)))
                                         : column.back()));
  }

  const OnnxNodeView& view_;
  std::vector<ExprPtr> carried_;
  const ExprPtr count_;
  ExprPtr taken_;              // whether a run takes the last iteration; null if every run does
  ExprPtr done_ = CountOf(0);  // number of iterations of a run
  bool ends_early_ = false;    // the body computes whether it goes on
  int64_t turns_ = 0;
  std::vector<std::vector<ExprPtr>> scanned_;
};

Turns TurnsOf(const OnnxNodeView& view) {
  if (!view.HasInput(0)) return {};
  const std::vector<ComputedDim> given = ComputedDims(view, 0, "number of iterations");
  if (given.size() != 1) RefuseNode(fmt::format("its number of iterations has {} elements", given.size()));
  if (given[0].is_known()) return {std::max<int64_t>(0, given[0].number), nullptr};
  // A number below 0 is none, too.
  const ExprPtr count = view.Call("maximum", {given[0].count, CountOf(0)});
  const int64_t most = MostOf(view, count, "number of iterations");
  if (most > kMostTurns) RefuseTurns(most);
  return {most, count};
}

// A loop without iterations stacks nothing. Converting one iteration gives the types of what it would have stacked.
std::vector<ExprPtr> WithNoTurns(const OnnxNodeView& view, const OnnxGraph& body, std::vector<ExprPtr> carried,
                                 size_t outputs) {
  if (outputs == 0) return carried;
  std::vector<ExprPtr> inputs{Number(DType::kInt64, 0), Number(DType::kBool, 1)};
  inputs.insert(inputs.end(), carried.begin(), carried.end());
  const std::vector<ExprPtr> turn = view.Results(body, inputs);
  RequireTensors({turn.end() - static_cast<int64_t>(outputs), turn.end()});
  for (size_t i = turn.size() - outputs; i < turn.size(); ++i) {
    Shape shape = view.builder().ShapeOf(turn[i]);
    shape.insert(shape.begin(), 0);
    carried.push_back(relay::MakeConstant(Tensor(view.builder().DTypeOf(turn[i]), shape)));
  }
  return carried;
}

// Makes a run fail if its iterations end while the loop would go on.
void RequireEnd(const OnnxNodeView& view, const Iterations& iterations, const ExprPtr& goes_on) {
  const WhileTaken while_taken(view.builder(), iterations.taken());
  const ExprPtr more = TakenIf(view, goes_on);
  view.builder().RequireCount(view.Call("add", {more, CountOf(iterations.turns())}), iterations.turns());
}

std::vector<ExprPtr> Loop(const OnnxNodeView& view) {
  const OnnxGraph& body = view.Body("body");
  if (view.num_inputs() < 2) RefuseNode(fmt::format("{}; it takes 2 or more", Counted(view.num_inputs(), "input")));
  RequireTensors({view.inputs().begin(), view.inputs().begin() + 2});
  const Turns turns = TurnsOf(view);
  const std::vector<ExprPtr> carried(view.inputs().begin() + 2, view.inputs().end());
  if (body.outputs.size() < carried.size() + 1) RefuseNode("its graph gives fewer values than it takes");
  const size_t outputs = body.outputs.size() - carried.size() - 1;
  Iterations iterations(view, carried, turns.count);
  ExprPtr condition = view.HasInput(1) ? view.Input(1) : Number(DType::kBool, 1);
  // Iterations of a computed condition end at a bound if nothing else ends them.
  const int64_t bound = std::min(turns.most, view.builder().max_dim() > 0 ? view.builder().max_dim() : kMostTurns + 1);
  while (iterations.turns() < turns.most) {
    const std::optional<bool> goes_on = KnownCondition(view, condition);
    if (goes_on && !*goes_on) break;
    if (!goes_on && bound > kMostTurns) RefuseTurns(turns.most);
    if (!goes_on && iterations.turns() == bound) {
      RequireEnd(view, iterations, condition);
      break;
    }
    if (!goes_on) iterations.GoOnIf(condition);
    const int64_t turn = iterations.turns();
    const auto convert = [&](const std::vector<ExprPtr>& values) {
      std::vector<ExprPtr> inputs{Number(DType::kInt64, turn), Number(DType::kBool, 1)};
      inputs.insert(inputs.end(), values.begin(), values.end());
      std::vector<ExprPtr> results = view.Results(body, inputs);
      std::rotate(results.begin(), results.begin() + 1, results.end());
      return results;
    };
    condition = iterations.Add(outputs, convert).at(0);
  }
  if (iterations.turns() == 0) return WithNoTurns(view, body, carried, outputs);
  std::vector<ExprPtr> results = iterations.carried();
  for (size_t i = 0; i < outputs; ++i) results.push_back(iterations.Stacked(i, 0, false));
  return results;
}

std::vector<int64_t> PerValue(const OnnxNodeView& view, std::string_view name, int64_t count) {
  const std::vector<int64_t> given = view.Ints(name, std::vector<int64_t>(static_cast<size_t>(count)));
  if (static_cast<int64_t>(given.size()) == count) return given;
  RefuseNode(fmt::format("{} holds {} numbers, it must hold {}", name, given.size(), count));
}

// A Scan: inputs are first the values that each iteration hands to the next, then the inputs to iterate over.
class Scanning {
 public:
  explicit Scanning(const OnnxNodeView& view)
      : view_(view), body_(view.Body("body")), scans_(view.Int("num_scan_inputs", 0)) {
    if (scans_ < 1 || scans_ > view.num_inputs()) {
      RefuseNode(fmt::format("num_scan_inputs is {}; it may be 1 to {}", scans_, view.num_inputs()));
    }
    carries_ = view.num_inputs() - scans_;
    outputs_ = static_cast<int64_t>(body_.outputs.size()) - carries_;
    if (outputs_ < 0) {
      RefuseNode(fmt::format("its graph gives {}; it must give {}", Counted(body_.outputs.size(), "value"), carries_));
    }
    axes_ = PerValue(view, "scan_input_axes", scans_);
    for (int64_t i = 0; i < scans_; ++i) Nth(axes_, i) = OnnxNodeView::Axis(Nth(axes_, i), view.InputRank(Input(i)));
    backwards_ = PerValue(view, "scan_input_directions", scans_);
    most_ = Extent(0);
    for (int64_t i = 0; i < scans_; ++i) {
      if (Extent(i) != most_) RefuseNode(fmt::format("its inputs have {} and {} positions", most_, Extent(i)));
      if (IsCounted(view.builder(), view.Input(Input(i)), Nth(axes_, i))) AddCount(i);
    }
    if (most_ > kMostTurns) RefuseTurns(most_);
    if (most_ < 1) RefuseNode("its inputs have no positions");
  }

  std::vector<ExprPtr> Results() const {
    Iterations iterations(view_, {view_.inputs().begin(), view_.inputs().begin() + carries_}, count_);
    for (int64_t turn = 0; turn < most_; ++turn) {
      iterations.Add(static_cast<size_t>(outputs_), [&](std::vector<ExprPtr> inputs) {
        for (int64_t i = 0; i < scans_; ++i) inputs.push_back(SliceOf(i, turn));
        return view_.Results(body_, inputs);
      });
    }
    const std::vector<int64_t> axes = PerValue(view_, "scan_output_axes", outputs_);
    const std::vector<int64_t> backwards = PerValue(view_, "scan_output_directions", outputs_);
    std::vector<ExprPtr> results = iterations.carried();
    for (int64_t i = 0; i < outputs_; ++i) {
      results.push_back(iterations.Stacked(static_cast<size_t>(i), Nth(axes, i), Nth(backwards, i) != 0));
    }
    return results;
  }

 private:
  int Input(int64_t scan) const { return static_cast<int>(carries_ + scan); }
  int64_t Extent(int64_t scan) const { return Nth(view_.InputShape(Input(scan)), Nth(axes_, scan)); }

  void AddCount(int64_t scan) {
    const ExprPtr count = ExtentOf(view_.builder(), view_.Input(Input(scan)), Nth(axes_, scan));
    if (count_ != nullptr && count_ != count) view_.builder().RequireEqual(count_, count);
    count_ = count;
  }

  // An input's slice for an iteration, without the axis.
  ExprPtr SliceOf(int64_t scan, int64_t turn) const {
    ExprPtr position = CountOf(turn);
    if (Nth(backwards_, scan) != 0) {
      position = count_ == nullptr ? CountOf(most_ - 1 - turn) : view_.Call("subtract", {count_, CountOf(turn + 1)});
    }
    return view_.Call("take", {view_.Input(Input(scan)), position}, {{"axis", Nth(axes_, scan)}});
  }

  const OnnxNodeView& view_;
  const OnnxGraph& body_;
  int64_t scans_ = 0, carries_ = 0, outputs_ = 0, most_ = 0;
  ExprPtr count_;  // of a run's iterations; null if that is most_
  std::vector<int64_t> axes_, backwards_;
};

// A Scan of opset 8 iterates over each image apart. Before the other inputs it has the images' lengths.
std::vector<ExprPtr> ScanOfImages(const OnnxNodeView& view) {
  if (view.HasInput(0)) RefuseNode("its sequences have lengths; a Scan of whole sequences is supported");
  if (view.num_inputs() < 2) RefuseNode("it has no input to scan");
  for (int i = 1; i < view.num_inputs(); ++i) view.Input(i);  // refuses one that is left out
  const std::vector<ExprPtr> given(view.inputs().begin() + 1, view.inputs().end());
  TypedBuilder& builder = view.builder();
  for (size_t i = 0; i < given.size(); ++i) {
    const Shape& shape = builder.ShapeOf(given[i]);
    const bool counts_images = !shape.empty() && shape[0] > 0 && shape[0] == builder.ShapeOf(given[0])[0];
    if (counts_images && !IsCounted(builder, given[i], 0)) continue;
    RefuseNode(fmt::format("input {} is {}; its first axis must count images, a known number of them", i + 1,
                           ShapeText(shape)));
  }
  const int64_t count = builder.ShapeOf(given[0])[0];
  if (count > kMostTurns) RefuseNode(fmt::format("{} images; {} are the most", count, kMostTurns));
  OnnxNode node = view.node();
  for (auto& [name, attribute] : node.attributes) {
    if (name == "directions") name = "scan_input_directions";
  }
  Iterations images(view, {}, nullptr);
  size_t outputs = view.Body("body").outputs.size();
  for (int64_t image = 0; image < count; ++image) {
    images.Add(outputs, [&](const std::vector<ExprPtr>&) {
      std::vector<ExprPtr> inputs;
      for (const ExprPtr& each : given) {
        inputs.push_back(view.Call("take", {each, CountOf(image)}, {{"axis", int64_t{0}}}));
      }
      return Scanning(view.Of(node, std::move(inputs))).Results();
    });
  }
  std::vector<ExprPtr> results;
  for (size_t i = 0; i < outputs; ++i) results.push_back(images.Stacked(i, 0, false));
  return results;
}

std::vector<ExprPtr> Scan(const OnnxNodeView& view) {
  return view.opset() < 9 ? ScanOfImages(view) : Scanning(view).Results();
}

}  // namespace

OnnxOperatorTable LoopOperators() {
  return {
      {"Loop",
       0,
       -1,
       Loop,
       {"body"},
       {.becomes = "add cast choose concatenate less maximum reshape", .takes_counts = true, .takes_sequences = true}},
      {"Scan",
       0,
       -1,
       Scan,
       {"body", "directions", "num_scan_inputs", "scan_input_axes", "scan_input_directions", "scan_output_axes",
        "scan_output_directions"},
       {.becomes = "cast choose concatenate first_positions less reshape subtract take", .takes_counts = true}}};
}

}  // namespace hone
