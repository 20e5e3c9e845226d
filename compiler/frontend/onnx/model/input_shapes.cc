#include "compiler/frontend/onnx/model/input_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "compiler/frontend/onnx/model/fixed_dims.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "core/text/sum_of_names.h"

namespace hone {
namespace {

[[noreturn]] void RefuseShapeOption(const std::string& what) { throw Error(ExitCode::kUsage, what); }

std::string RangeText(const DimRange& range) {
  return range.least == range.most ? std::to_string(range.most) : fmt::format("{}..{}", range.least, range.most);
}

class ShapeResolver {
 public:
  ShapeResolver(const OnnxGraph& graph, const OnnxImportOptions& options, const std::vector<ModelState>& states,
                std::vector<std::string>& notices)
      : graph_(graph), options_(options), states_(states), notices_(notices) {}

  ResolvedInputs Resolve() {
    CheckNames();
    for (const auto& [name, value] : options_.dims) BindOption(name, {value, value});
    for (const auto& [name, range] : options_.ranges) BindOption(name, range);
    for (const OnnxInput& input : graph_.inputs) BindGiven(input);
    for (const auto& [name, dim] : FixedDims(graph_)) BindFixed(name, dim);
    for (const OnnxInput& input : graph_.inputs) BindBatch(input);
    for (const OnnxInput& input : graph_.inputs) {
      if (IsState(input)) BeginEmpty(input);
    }
    for (const OnnxInput& input : graph_.inputs) BindOthers(input);
    for (const OnnxInput& input : graph_.inputs) BindSums(input);
    ResolvedInputs resolved;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      AddShape(i, resolved);
      NoteEmpty(graph_.inputs[i]);
    }
    return resolved;
  }

 private:
  struct Bound {
    DimRange range;
    std::string origin;  // the user's option
  };

  std::vector<std::string> FreeNames() const {
    std::vector<std::string> names;
    for (const OnnxInput& input : graph_.inputs) {
      for (size_t axis = 0; axis < input.dims.size(); ++axis) {
        const std::string name = FreeDimName(input, axis);
        if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
    return names;
  }

  void CheckNames() const {
    std::vector<std::string> inputs;
    for (const OnnxInput& input : graph_.inputs) inputs.push_back(input.name);
    for (const auto& [name, shape] : options_.shapes) {
      if (std::ranges::find(inputs, name) == inputs.end()) {
        RefuseShapeOption(fmt::format("--shape {}: the model's inputs are {}", name, fmt::join(inputs, ", ")));
      }
      for (const int64_t dim : shape) {
        if (dim < 0) RefuseShapeOption(fmt::format("--shape {}: {} is no dimension", name, dim));
      }
    }
    const std::vector<std::string> free = FreeNames();
    for (const auto& [name, value] : options_.dims) {
      RequireFree(name, free);
      if (value < 0) RefuseShapeOption(fmt::format("--dim {}: {} is no dimension", name, value));
    }
    for (const auto& [name, range] : options_.ranges) {
      RequireFree(name, free);
      if (range.least >= 0 && range.most >= 1 && range.least <= range.most) continue;
      RefuseShapeOption(fmt::format("--dim {}: {}..{} is no range of extents", name, range.least, range.most));
    }
  }

  void RequireFree(const std::string& name, const std::vector<std::string>& free) const {
    if (std::ranges::find(free, name) != free.end()) return;
    RefuseShapeOption(free.empty() ? fmt::format("--dim {}: the model's inputs leave no dimension free; --shape "
                                                 "{} sets an input's, or the export takes dynamic_axes",
                                                 name, ExampleShape())
                                   : fmt::format("--dim {}: the model's free dimensions are {}{}", name,
                                                 fmt::join(free, ", "), DidYouMean(name, free)));
  }

  // "NAME=1,3,224,224": the first input as it is.
  std::string ExampleShape() const {
    if (graph_.inputs.empty()) return "NAME=1,3,224,224";
    std::vector<int64_t> dims;
    for (const OnnxDim& dim : graph_.inputs.front().dims) dims.push_back(std::max<int64_t>(dim.value, 1));
    return fmt::format("{}={}", graph_.inputs.front().name, fmt::join(dims, ","));
  }

  void BindOption(const std::string& name, const DimRange& range) {
    Bind(name, range, fmt::format("--dim {}={}", name, RangeText(range)));
  }

  void Bind(const std::string& name, const DimRange& range, const std::string& origin) {
    const auto [known, is_new] = bound_.try_emplace(name, Bound{range, origin});
    const DimRange& had = known->second.range;
    if (is_new || (had.least == range.least && had.most == range.most)) return;
    RefuseShapeOption(fmt::format("the dimension {} is {} by {} and {} by {}; it is one number", name, RangeText(had),
                                  known->second.origin, RangeText(range), origin));
  }

  void BindGiven(const OnnxInput& input) {
    const auto given = options_.shapes.find(input.name);
    if (given == options_.shapes.end() || !input.has_shape) return;
    const Shape& shape = given->second;
    if (shape.size() != input.dims.size()) {
      RefuseShapeOption(fmt::format("--shape {}: the input has {}, and {} came", input.name,
                                    Counted(input.dims.size(), "dimension"), shape.size()));
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      const std::string name = FreeDimName(input, i);
      if (name.empty()) continue;
      Bind(name, {shape[i], shape[i]}, fmt::format("--shape {}={}", input.name, fmt::join(shape, ",")));
    }
  }

  void BindFixed(const std::string& name, const FixedDim& dim) {
    if (!bound_.try_emplace(name, Bound{{dim.extent, dim.extent}, "its node"}).second) return;
    notices_.push_back(fmt::format("the free dimension {} is {}: node \"{}\" fixes it", name, dim.extent, dim.node));
  }

  static std::string LowerCase(std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
  }
  static bool IsCalledBatch(const std::string& name) { return LowerCase(name).find("batch") != std::string::npos; }

  // A batch is called so, or its axis is the first one wherever it is, and not an input's only one.
  bool IsBatch(const std::string& name) const {
    const std::vector<std::string> free = FreeNames();
    if (std::ranges::any_of(free, IsCalledBatch)) return IsCalledBatch(name);
    bool is_first = false;
    for (const OnnxInput& input : graph_.inputs) {
      for (size_t axis = 0; axis < input.dims.size(); ++axis) {
        if (FreeDimName(input, axis) != name) continue;
        if (axis > 0) return false;
        is_first = is_first || input.dims.size() > 1;
      }
    }
    return is_first;
  }

  // The first run of a decoder has no past.
  DimRange DefaultOf(const std::string& name) const {
    const int64_t least = LowerCase(name).find("past") == std::string::npos ? options_.other_dims.least : 0;
    return {least, options_.other_dims.most};
  }

  // A free batch without a given number is 1.
  void BindBatch(const OnnxInput& input) {
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      const std::string name = FreeDimName(input, axis);
      if (name.empty() || !IsBatch(name) || !bound_.try_emplace(name, Bound{{1, 1}, "its default"}).second) continue;
      notices_.push_back(fmt::format("input \"{}\": the free dimension {} is bound to 1", input.name, name));
    }
  }

  bool IsState(const OnnxInput& input) const {
    return std::ranges::any_of(states_, [&](const ModelState& state) { return state.first == input.name; });
  }

  void BeginEmpty(const OnnxInput& input) {
    BindOthers(input);
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      const auto bound = bound_.find(FreeDimName(input, axis));
      if (bound != bound_.end() && bound->second.range.least < bound->second.range.most) bound->second.range.least = 0;
    }
  }

  void BindOthers(const OnnxInput& input) {
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      const std::string name = FreeDimName(input, axis);
      if (name.empty() || SumOf(name)) continue;
      DimRange range = DefaultOf(name);
      if (IsState(input)) range.least = 0;
      if (!bound_.try_emplace(name, Bound{range, "its default"}).second) continue;
      notices_.push_back(
          fmt::format("input \"{}\": the free dimension {} may be {} to {} in a run; --dim {}=LO..HI changes "
                      "that, and --dim {}=NUMBER fixes it",
                      input.name, name, range.least, range.most, name, name));
    }
  }

  // The other free dimensions that a name such as "past + 1" adds up; nullopt if it is no such sum.
  std::optional<SumOfNames> SumOf(const std::string& name) const {
    const std::vector<std::string> free = FreeNames();
    std::optional<SumOfNames> sum = ParseSumOfNames(name);
    const bool known = sum && std::ranges::all_of(sum->terms, [&](const auto& term) {
                         return std::ranges::find(free, term.first) != free.end();
                       });
    return known ? sum : std::nullopt;
  }

  // An extent is never below 0.
  DimRange RangeOf(const SumOfNames& sum) const {
    DimRange range{sum.number, sum.number};
    for (const auto& [name, factor] : sum.terms) {
      const auto known = bound_.find(name);
      const DimRange part = known == bound_.end() ? DefaultOf(name) : known->second.range;
      range.least += factor * (factor > 0 ? part.least : part.most);
      range.most += factor * (factor > 0 ? part.most : part.least);
    }
    return {std::max<int64_t>(range.least, 0), std::max<int64_t>(range.most, 0)};
  }

  // A sum of dimensions takes what they allow together.
  void BindSums(const OnnxInput& input) {
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      const std::string name = FreeDimName(input, axis);
      if (name.empty() || bound_.contains(name)) continue;
      const DimRange range = RangeOf(*SumOf(name));
      bound_.emplace(name, Bound{range, "its default"});
      notices_.push_back(fmt::format("input \"{}\": the free dimension {} may be {} in a run, as its parts together",
                                     input.name, name, RangeText(range)));
    }
  }

  // Some exporters declare an unknown dimension as 0, which ONNX does not.
  void NoteEmpty(const OnnxInput& input) const {
    if (options_.shapes.contains(input.name)) return;
    const auto zero = std::ranges::find(input.dims, 0, &OnnxDim::value);
    if (zero == input.dims.end()) return;
    notices_.push_back(
        fmt::format("input \"{}\" has no elements, because its dimension {} is declared 0; --shape {}=... "
                    "sets another",
                    input.name, zero - input.dims.begin(), input.name));
  }

  void AddShape(size_t number, ResolvedInputs& resolved) const {
    const OnnxInput& input = graph_.inputs[number];
    if (const auto given = options_.shapes.find(input.name); given != options_.shapes.end()) {
      resolved.shapes.push_back(given->second);
      return;
    }
    if (!input.has_shape) {
      RefuseShapeOption(fmt::format("input \"{}\" has no shape; give --shape {}=...", input.name, input.name));
    }
    Shape shape;
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      const std::string name = FreeDimName(input, axis);
      const DimRange range =
          name.empty() ? DimRange{input.dims[axis].value, input.dims[axis].value} : bound_.at(name).range;
      shape.push_back(range.most);
      if (range.least == range.most) continue;
      const auto same = [&](const RangedDim& dim) { return dim.name == name; };
      auto dim = std::ranges::find_if(resolved.ranged, same);
      if (dim == resolved.ranged.end()) dim = resolved.ranged.insert(dim, RangedDim{name, range, {}});
      dim->places.emplace_back(number, axis);
    }
    resolved.shapes.push_back(std::move(shape));
  }

  const OnnxGraph& graph_;
  const OnnxImportOptions& options_;
  const std::vector<ModelState>& states_;
  std::vector<std::string>& notices_;
  std::map<std::string, Bound> bound_;  // by name
};

}  // namespace

std::string FreeDimName(const OnnxInput& input, size_t axis) {
  const OnnxDim& dim = input.dims[axis];
  if (dim.value >= 0) return "";
  return dim.symbol.empty() ? fmt::format("{}_{}", input.name, axis) : dim.symbol;
}

ResolvedInputs ResolveInputs(const OnnxGraph& graph, const OnnxImportOptions& options,
                             const std::vector<ModelState>& states, std::vector<std::string>& notices) {
  return ShapeResolver(graph, options, states, notices).Resolve();
}

}  // namespace hone
