#include "tests/random_graphs/random_graph.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/random_graphs/graph_maker.h"

namespace hone {
namespace {

constexpr GraphLimits kImages{4, 400'000, 12'000'000};
constexpr GraphLimits kQuantised{24, 20'000, 600'000};  // a layer takes several nodes

constexpr int kEmptyPercent = 2;  // percentage of graphs; other operators make tensors without elements as well

const std::vector<DrawnFamily>& FloatDraws() {
  static const std::vector<DrawnFamily> all = [] {
    std::vector<DrawnFamily> draws;
    for (const auto& family :
         {ElementwiseDraws, WindowDraws, ProductDraws, JoiningDraws, MovementDraws, ReductionDraws, RecurrentDraws}) {
      for (const DrawnFamily& each : family()) draws.push_back(each);
    }
    return draws;
  }();
  return all;
}

DrawNode DrawFamily(GraphMaker& m, const std::vector<DrawnFamily>& families) {
  int64_t total = 0;
  for (const DrawnFamily& each : families) total += each.weight;
  int64_t left = m.Between(1, total);
  for (const DrawnFamily& each : families) {
    left -= each.weight;
    if (left <= 0) return each.draw;
  }
  return nullptr;
}

int64_t SmallDim(GraphMaker& m) { return m.Chance(15) ? 1 : m.Chance(80) ? m.Between(2, 9) : m.Between(10, 18); }

int64_t Batch(GraphMaker& m) { return m.Chance(45) ? 1 : m.Chance(50) ? 2 : m.Between(3, 8); }

Shape SmallShape(GraphMaker& m) {
  const int64_t kind = m.Between(1, 100);
  if (kind <= 65) {
    const int64_t side = SmallDim(m);
    return {Batch(m), m.Channels(), side, m.Chance(60) ? side : SmallDim(m)};
  }
  if (kind <= 80) return {Batch(m), m.Channels()};
  if (kind <= 93) return {Batch(m), m.Channels(), SmallDim(m)};
  if (kind <= 96) return {m.Channels()};
  return {Batch(m), m.Between(1, 4), SmallDim(m), SmallDim(m), m.Between(1, 4)};
}

// Several images of few channels: batches too large for a small machine's caches are built in parts.
Shape ImageShape(GraphMaker& m) {
  const int64_t side = m.Between(14, 56), batch = m.Chance(65) ? 1 : m.OneOf<int64_t>({2, 4, 6});
  const int64_t channels = m.Chance(30) ? 3 : m.Between(3, batch == 1 ? 96 : 16);
  return {batch, channels, side, m.Chance(70) ? side : m.Between(14, 56)};
}

void AddInputs(GraphMaker& m, const Shape& first) {
  m.Input(first);
  while (m.Chance(30) && m.values().size() < 3) {
    Shape shape = m.Chance(60) ? first : SmallShape(m);
    if (shape == first && m.Chance(30))
      shape[static_cast<size_t>(m.Between(0, static_cast<int64_t>(first.size()) - 1))] = 1;
    m.Input(shape);
  }
}

// Takes an empty part of the first input, because a model's inputs themselves always have elements.
void AddEmpty(GraphMaker& m) {
  const GraphValue first = m.values()[0];
  const int64_t axis = m.Between(0, first.rank() - 1), at = m.Between(0, first.shape[static_cast<size_t>(axis)]);
  m.Emit("Slice", {first.name, m.Ints({at}), m.Ints({at}), m.Ints({axis})}, first.bound);
}

// Whether the error says what is wrong with the node, as importing must.
bool IsRefusal(const Error& error) { return error.code() == ExitCode::kBadData || error.code() == ExitCode::kUsage; }

// In a quantised model some layers stay in float, as quantisers leave them.
DrawNode DrawFamily(GraphMaker& m, bool quantised) {
  static const std::vector<DrawnFamily> quantised_draws = QuantisedDraws();
  return DrawFamily(m, quantised && m.Chance(85) ? quantised_draws : FloatDraws());
}

void AddNodes(GraphMaker& m, bool quantised, std::map<std::string, int>& refused) {
  const int64_t nodes = m.Between(1, m.limits().nodes);
  for (int64_t tries = 0; tries < 8 * nodes && static_cast<int64_t>(m.graph().nodes.size()) < nodes; ++tries) {
    GraphMaker::State before = m.Save();
    bool added = false;
    try {
      added = DrawFamily(m, quantised)(m);
    } catch (const Error& error) {
      if (!IsRefusal(error)) throw;
      ++refused[error.what()];
    }
    if (!added) m.Restore(std::move(before));
  }
}

// Every value that no node reads; sometimes also one that is read, or one a second time under another name.
void AddOutputs(GraphMaker& m) {
  std::set<std::string> read;
  for (const OnnxNode& node : m.graph().nodes) read.insert(node.inputs.begin(), node.inputs.end());
  std::vector<std::string>& outputs = m.graph().outputs;
  const size_t inputs = m.graph().inputs.size();
  for (size_t i = inputs; i < m.values().size(); ++i) {
    const std::string& name = m.values()[i].name;
    if (read.count(name) == 0 || m.Chance(8)) outputs.push_back(name);
  }
  if (m.Chance(3)) outputs.push_back(m.values()[0].name);
  if (m.Chance(6) || outputs.empty()) {
    const GraphValue twice = *m.Pick([](const GraphValue&) { return true; });
    outputs.push_back(m.Node("Identity", {twice.name}));
  }
}

}  // namespace

RandomGraph MakeRandomGraph(uint64_t seed) {
  const bool images = seed % 8 == 7, quantised = seed % 8 == 3;
  GraphMaker maker(seed, images ? kImages : quantised ? kQuantised : GraphLimits{});
  AddInputs(maker, images ? ImageShape(maker) : SmallShape(maker));
  if (maker.Chance(kEmptyPercent)) AddEmpty(maker);
  RandomGraph made;
  AddNodes(maker, quantised, made.refused);
  AddOutputs(maker);
  made.graph = maker.graph();
  return made;
}

}  // namespace hone
