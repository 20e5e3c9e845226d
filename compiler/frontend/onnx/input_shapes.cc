#include "compiler/frontend/onnx/input_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

constexpr int64_t kUnknown = -1;

[[noreturn]] void RefuseShapeOption(const std::string& what) { throw Error(ExitCode::kUsage, what); }

class ShapeResolver {
 public:
  ShapeResolver(const OnnxGraph& graph, const OnnxImportOptions& options, std::vector<std::string>& notices)
      : graph_(graph), options_(options), notices_(notices) {}

  std::vector<Shape> Resolve() {
    CheckNames();
    for (const auto& [symbol, value] : options_.dims) Bind(symbol, value, fmt::format("--dim {}={}", symbol, value));
    for (const OnnxInput& input : graph_.inputs) BindGiven(input);
    for (const OnnxInput& input : graph_.inputs) BindBatch(input);
    std::vector<Shape> shapes;
    for (const OnnxInput& input : graph_.inputs) {
      shapes.push_back(ShapeOf(input));
      NoteEmpty(input);
    }
    return shapes;
  }

 private:
  struct Bound {
    int64_t value = 0;
    std::string origin;  // the user's option
  };

  void CheckNames() const {
    std::vector<std::string> names, symbols;
    for (const OnnxInput& input : graph_.inputs) {
      names.push_back(input.name);
      for (const OnnxDim& dim : input.dims) {
        const bool known = std::find(symbols.begin(), symbols.end(), dim.symbol) != symbols.end();
        if (dim.value < 0 && !dim.symbol.empty() && !known) symbols.push_back(dim.symbol);
      }
    }
    for (const auto& [name, shape] : options_.shapes) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        RefuseShapeOption(fmt::format("--shape {}: the model's inputs are {}", name, fmt::join(names, ", ")));
      }
      for (const int64_t dim : shape) {
        if (dim < 0) RefuseShapeOption(fmt::format("--shape {}: {} is no dimension", name, dim));
      }
    }
    for (const auto& [symbol, value] : options_.dims) {
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) {
        RefuseShapeOption(symbols.empty()
                              ? fmt::format("--dim {}: the model's inputs leave no dimension free by name; --shape "
                                            "NAME=1,3,224,224 sets an input's, or the export takes dynamic_axes",
                                            symbol)
                              : fmt::format("--dim {}: the model's free dimensions are {}{}", symbol,
                                            fmt::join(symbols, ", "), DidYouMean(symbol, symbols)));
      }
      if (value < 0) RefuseShapeOption(fmt::format("--dim {}: {} is no dimension", symbol, value));
    }
  }

  void Bind(const std::string& symbol, int64_t value, const std::string& origin) {
    const auto [known, is_new] = bound_.try_emplace(symbol, Bound{value, origin});
    if (is_new || known->second.value == value) return;
    RefuseShapeOption(fmt::format("the dimension {} is {} by {} and {} by {}; it is one number", symbol,
                                  known->second.value, known->second.origin, value, origin));
  }

  void BindGiven(const OnnxInput& input) {
    const auto given = options_.shapes.find(input.name);
    if (given == options_.shapes.end() || !input.has_shape) return;
    const Shape& shape = given->second;
    if (shape.size() != input.dims.size()) {
      RefuseShapeOption(fmt::format("--shape {}: the input has {} dimensions, {} are given", input.name,
                                    input.dims.size(), shape.size()));
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      const OnnxDim& dim = input.dims[i];
      if (dim.value >= 0 || dim.symbol.empty()) continue;
      Bind(dim.symbol, shape[i], fmt::format("--shape {}={}", input.name, fmt::join(shape, ",")));
    }
  }

  // A free first dimension without a given number is a batch of 1.
  void BindBatch(const OnnxInput& input) {
    if (options_.shapes.count(input.name) > 0 || input.dims.empty() || input.dims[0].value >= 0) return;
    const std::string& symbol = input.dims[0].symbol;
    if (bound_.count(symbol) > 0) return;
    if (!symbol.empty()) Bind(symbol, 1, "its default");
    notices_.push_back(fmt::format("input \"{}\": the free dimension{} is bound to 1", input.name,
                                   symbol.empty() ? "" : " " + symbol));
  }

  Shape ShapeOf(const OnnxInput& input) const {
    const auto given = options_.shapes.find(input.name);
    if (given != options_.shapes.end()) return given->second;
    if (!input.has_shape)
      RefuseShapeOption(fmt::format("input \"{}\" has no shape; give --shape {}=...", input.name, input.name));
    Shape shape;
    for (size_t i = 0; i < input.dims.size(); ++i) shape.push_back(DimOf(input, i));
    return shape;
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

  // The bound, or kUnknown if none was given.
  int64_t BoundOf(const OnnxInput& input, size_t i) const {
    const OnnxDim& dim = input.dims[i];
    if (dim.value >= 0) return dim.value;
    const auto known = bound_.find(dim.symbol);
    if (known != bound_.end()) return known->second.value;
    return i == 0 ? 1 : kUnknown;
  }

  int64_t DimOf(const OnnxInput& input, size_t i) const {
    if (const int64_t value = BoundOf(input, i); value != kUnknown) return value;
    std::vector<std::string> text;
    for (size_t k = 0; k < input.dims.size(); ++k) {
      const std::string& symbol = input.dims[k].symbol;
      const int64_t value = BoundOf(input, k);
      text.push_back(value != kUnknown ? std::to_string(value) : symbol.empty() ? "?" : symbol);
    }
    const std::string& symbol = input.dims[i].symbol;
    RefuseShapeOption(fmt::format("input \"{}\": dimension {} is free; give {}--shape {}={} with numbers", input.name,
                                  i, symbol.empty() ? "" : fmt::format("--dim {}=NUMBER, or ", symbol), input.name,
                                  fmt::join(text, ",")));
  }

  const OnnxGraph& graph_;
  const OnnxImportOptions& options_;
  std::vector<std::string>& notices_;
  std::map<std::string, Bound> bound_;  // by symbol
};

}  // namespace

std::vector<Shape> InputShapes(const OnnxGraph& graph, const OnnxImportOptions& options,
                               std::vector<std::string>& notices) {
  return ShapeResolver(graph, options, notices).Resolve();
}

}  // namespace hone
