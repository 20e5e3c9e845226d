// The state in which a random graph is drawn: its values so far, and the nodes that make new ones from them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "core/random.h"

namespace hone {

// A float32 value of the graph.
struct GraphValue {
  std::string name;
  Shape shape;
  double bound = 0;  // about the largest magnitude of an element; keeps sums, products and powers from growing

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const { return ElementCount(shape); }
};

using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

// Limits on the size of a drawn graph.
struct GraphLimits {
  int64_t nodes = 9;
  int64_t elements = 20'000;        // of one value
  int64_t multiply_adds = 600'000;  // of one node
};

class GraphMaker {
 public:
  GraphMaker(uint64_t seed, const GraphLimits& limits);

  // Random draws. Between is uniform and includes both ends.
  int64_t Between(int64_t least, int64_t most);
  double Uniform() { return random_.Uniform(); }  // in [0, 1)
  bool Chance(int percent) { return Between(1, 100) <= percent; }
  template <typename T>
  const T& OneOf(const std::vector<T>& all) {
    return all[static_cast<size_t>(Between(0, static_cast<int64_t>(all.size()) - 1))];
  }
  // A number of channels: few, a multiple of a vector, or near one.
  int64_t Channels();

  // A value for which the predicate holds, later ones more often; null when there is none.
  const GraphValue* Pick(const std::function<bool(const GraphValue&)>& holds);
  const std::vector<GraphValue>& values() const { return values_; }
  const GraphLimits& limits() const { return limits_; }

  void Input(const Shape& shape);
  // Normal values times `scale`. Sometimes an existing weight is reused.
  std::string Weight(const Shape& shape, double scale);
  // Values in [0.5, 1.5).
  std::string Positive(const Shape& shape);
  std::string Scalar(double value);
  std::string Ints(const std::vector<int64_t>& values);
  std::string Constant(const Tensor& value);

  // Adds a node, without facts about its results; returns the name of the first.
  std::string Node(const std::string& op, std::vector<std::string> inputs, OnnxAttributes attributes = {},
                   int64_t outputs = 1);
  // Adds a node with float32 results that later nodes may use. Throws the Errors of importing.
  void Emit(const std::string& op, std::vector<std::string> inputs, double bound, OnnxAttributes attributes = {},
            int64_t outputs = 1);
  // The newest value.
  const GraphValue& last() const { return values_.back(); }

  // Restoring a copy undoes all changes made since, except the random draws.
  struct State {
    OnnxGraph graph;
    std::vector<GraphValue> values;
  };
  State Save() const { return {graph_, values_}; }
  void Restore(State state);

  OnnxGraph& graph() { return graph_; }
  const OnnxGraph& graph() const { return graph_; }

 private:
  std::string NewName(const std::string& hint);

  Random random_;
  GraphLimits limits_;
  OnnxGraph graph_;
  std::vector<GraphValue> values_;
  int64_t names_ = 0;
};

// Adds one node of its family, or a few that belong together; returns false when no value suits it. Throws the Errors
// of importing, after which the graph must be restored.
using DrawNode = bool (*)(GraphMaker& maker);
struct DrawnFamily {
  DrawNode draw = nullptr;
  int weight = 1;  // relative to the other families
};
std::vector<DrawnFamily> ElementwiseDraws();
std::vector<DrawnFamily> WindowDraws();
std::vector<DrawnFamily> ProductDraws();
std::vector<DrawnFamily> JoiningDraws();
std::vector<DrawnFamily> MovementDraws();
std::vector<DrawnFamily> ReductionDraws();
std::vector<DrawnFamily> RecurrentDraws();
// Draws for quantised models: each rounds its result to 8 bits and back.
std::vector<DrawnFamily> QuantisedDraws();

}  // namespace hone
