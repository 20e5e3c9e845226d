#include "tests/random_graphs/graph_maker.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

constexpr int64_t kOpset = 17;
constexpr double kLargestBound = 1000;

}  // namespace

GraphMaker::GraphMaker(uint64_t seed, const GraphLimits& limits) : random_(seed), limits_(limits) {
  graph_.opset = kOpset;
}

int64_t GraphMaker::Between(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(most - least) + 1));
}

int64_t GraphMaker::Channels() {
  if (Chance(50)) return Between(1, 8);
  if (Chance(60)) return OneOf<int64_t>({8, 16, 24, 32});
  return Chance(80) ? Between(9, 40) : Between(41, 96);
}

const GraphValue* GraphMaker::Pick(const std::function<bool(const GraphValue&)>& holds) {
  std::vector<const GraphValue*> suited;
  for (const GraphValue& value : values_) {
    if (holds(value)) suited.push_back(&value);
  }
  if (suited.empty()) return nullptr;
  const auto count = static_cast<int64_t>(suited.size());
  return suited[static_cast<size_t>(std::max(Between(0, count - 1), Between(0, count - 1)))];
}

std::string GraphMaker::NewName(const std::string& hint) { return hint + std::to_string(names_++); }

void GraphMaker::Input(const Shape& shape) {
  OnnxInput input;
  input.name = NewName("x");
  input.has_shape = true;
  for (const int64_t dim : shape) input.dims.push_back({dim, ""});
  graph_.inputs.push_back(input);
  values_.push_back({input.name, shape, 3.5});
}

std::string GraphMaker::Weight(const Shape& shape, double scale) {
  if (Chance(20)) {
    for (const auto& [name, value] : graph_.initializers) {
      if (value.dtype() == DType::kFloat32 && value.shape() == shape && name[0] == 'w') return name;
    }
  }
  Tensor value(DType::kFloat32, shape);
  for (int64_t i = 0; i < value.elements(); ++i) value.Set(i, random_.Normal() * scale);
  graph_.initializers.emplace_back(NewName("w"), value);
  return graph_.initializers.back().first;
}

std::string GraphMaker::Positive(const Shape& shape) {
  Tensor value(DType::kFloat32, shape);
  for (int64_t i = 0; i < value.elements(); ++i) value.Set(i, 0.5 + random_.Uniform());
  graph_.initializers.emplace_back(NewName("p"), value);
  return graph_.initializers.back().first;
}

std::string GraphMaker::Scalar(double value) {
  graph_.initializers.emplace_back(NewName("s"), Tensor::Scalar(static_cast<float>(value)));
  return graph_.initializers.back().first;
}

std::string GraphMaker::Ints(const std::vector<int64_t>& values) {
  graph_.initializers.emplace_back(NewName("i"),
                                   Tensor::FromVector(DType::kInt64, {static_cast<int64_t>(values.size())}, values));
  return graph_.initializers.back().first;
}

std::string GraphMaker::Constant(const Tensor& value) {
  graph_.initializers.emplace_back(NewName("c"), value);
  return graph_.initializers.back().first;
}

std::string GraphMaker::Node(const std::string& op, std::vector<std::string> inputs, OnnxAttributes attributes,
                             int64_t outputs) {
  OnnxNode node;
  node.op_type = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  for (int64_t i = 0; i < outputs; ++i) node.outputs.push_back(NewName("v"));
  node.name = node.outputs[0];
  graph_.nodes.push_back(node);
  return node.name;
}

void GraphMaker::Emit(const std::string& op, std::vector<std::string> inputs, double bound, OnnxAttributes attributes,
                      int64_t outputs) {
  Node(op, std::move(inputs), std::move(attributes), outputs);
  const std::vector<std::string> names = graph_.nodes.back().outputs;
  if (bound > kLargestBound) throw Error(ExitCode::kUsage, op + ": its values would grow too large");
  for (const auto& [name, shape] : ShapesOf(graph_, names)) {
    if (ElementCount(shape) > limits_.elements) throw Error(ExitCode::kUsage, op + ": its result is too large");
    values_.push_back({name, shape, bound});
  }
}

void GraphMaker::Restore(State state) {
  graph_ = std::move(state.graph);
  values_ = std::move(state.values);
}

}  // namespace hone
