// Recurrent layers: LSTM, GRU and RNN with any of their optional parts left out.
#include <cmath>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

struct Cell {
  std::string op;
  int64_t gates, functions;
};

// Unbounded activation functions in gates would make values grow from step to step.
std::vector<std::string> Functions(GraphMaker& m, const Cell& cell, int64_t directions) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < directions * cell.functions; ++i) {
    const bool gate = cell.functions > 1 && i % cell.functions == 0;
    names.push_back(m.OneOf<std::string>(gate ? std::vector<std::string>{"Sigmoid", "HardSigmoid"}
                                              : std::vector<std::string>{"Tanh", "Softsign", "Sigmoid"}));
  }
  return names;
}

bool DrawRecurrent(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2 && v.rank() <= 4; });
  if (x == nullptr || x->elements() == 0) return false;
  const Shape shape = x->shape;
  if (shape.size() != 3) {
    const Shape steps =
        shape.size() == 2 ? Shape{shape[0], 1, shape[1]} : Shape{shape[0], shape[1] * shape[2], shape[3]};
    m.Emit("Reshape", {x->name, m.Ints(steps)}, x->bound);
  }
  const GraphValue data = shape.size() == 3 ? *x : m.last();
  const Cell cell = m.OneOf<Cell>({{"LSTM", 4, 3}, {"GRU", 3, 2}, {"RNN", 1, 1}});
  const bool rows_first = m.Chance(15);
  const int64_t steps = data.shape[rows_first ? 1 : 0], rows = data.shape[rows_first ? 0 : 1];
  const int64_t directions = m.Chance(30) ? 2 : 1, units = m.Channels(), columns = cell.gates * units;
  if (steps * rows * directions * columns * (units + data.shape[2]) > m.limits().multiply_adds) return false;
  const Shape state = rows_first ? Shape{rows, directions, units} : Shape{directions, rows, units};
  const double scale = 1 / std::sqrt(static_cast<double>(units));
  const std::string w =
      m.Weight({directions, columns, data.shape[2]}, 1 / std::sqrt(static_cast<double>(data.shape[2])));
  std::vector<std::string> inputs{data.name, w, m.Weight({directions, columns, units}, scale), "", "", "", "", ""};
  if (m.Chance(80)) inputs[3] = m.Weight({directions, 2 * columns}, 0.3);
  if (m.Chance(25)) {
    Tensor lengths(DType::kInt32, {rows});
    for (int64_t i = 0; i < rows; ++i) lengths.Set(i, static_cast<double>(m.Between(1, steps)));
    inputs[4] = m.Constant(lengths);
  }
  if (m.Chance(50)) inputs[5] = m.Weight(state, 0.5);
  if (m.Chance(50)) inputs[6] = m.Weight(state, 0.5);
  if (m.Chance(20)) inputs[7] = m.Weight({directions, 3 * units}, 0.5);
  if (cell.op != "LSTM") inputs.resize(6);
  while (inputs.back().empty()) inputs.pop_back();
  OnnxAttributes attributes = {{"hidden_size", IntAttribute(units)},
                               {"direction", TextAttribute(directions == 2 ? "bidirectional"
                                                           : m.Chance(70)  ? "forward"
                                                                           : "reverse")}};
  if (rows_first) attributes.emplace_back("layout", IntAttribute(1));
  if (m.Chance(15)) attributes.emplace_back("clip", FloatAttribute(1.5));
  if (m.Chance(25)) attributes.emplace_back("activations", TextsAttribute(Functions(m, cell, directions)));
  if (cell.op == "GRU" && m.Chance(60)) attributes.emplace_back("linear_before_reset", IntAttribute(1));
  if (cell.op == "LSTM" && m.Chance(10)) attributes.emplace_back("input_forget", IntAttribute(1));
  m.Emit(cell.op, inputs, 3, attributes, cell.op == "LSTM" ? 3 : 2);
  return true;
}

}  // namespace

std::vector<DrawnFamily> RecurrentDraws() { return {{DrawRecurrent, 3}}; }

}  // namespace hone
