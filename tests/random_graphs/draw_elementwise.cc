// Operators that work on one element at a time, with and without broadcasting.
#include <cmath>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

bool Any(const GraphValue&) { return true; }

// Their results are at most as large as their operand, or 2.
bool DrawActivation(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  const std::string op = m.OneOf<std::string>({"Relu", "Relu", "Relu", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid",
                                               "Elu", "Selu", "Softplus", "Softsign", "Erf", "Abs", "Neg", "Sin", "Cos",
                                               "Atan", "Celu", "ThresholdedRelu"});
  m.Emit(op, {x.name}, std::max(2 * x.bound, 2.0));
  return true;
}

bool DrawLeakyRelu(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  m.Emit("LeakyRelu", {x.name}, x.bound, {{"alpha", FloatAttribute(0.125 * static_cast<double>(m.Between(0, 8)))}});
  return true;
}

bool DrawClip(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  const double low = m.Chance(50) ? 0 : -1;
  m.Emit("Clip", {x.name, m.Scalar(low), m.Scalar(m.Chance(50) ? 6 : 0.5)}, x.bound);
  return true;
}

bool DrawPRelu(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2; });
  if (x == nullptr) return false;
  Shape slope(x->shape.size() - 1, 1);
  slope[0] = x->shape[1];
  const GraphValue data = *x;
  m.Emit("PRelu", {data.name, m.Weight(slope, 0.3)}, data.bound);
  return true;
}

bool DrawExp(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.bound < 6; });
  if (x == nullptr) return false;
  m.Emit("Exp", {x->name}, std::exp(x->bound));
  return true;
}

// The operand stays away from zero, where the slope has no bound.
bool DrawSquareRoot(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  m.Emit("Sigmoid", {x.name}, 1);
  m.Emit(m.Chance(50) ? "Sqrt" : "Log", {m.last().name}, std::max(1.0, x.bound));
  return true;
}

bool DrawIdentity(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  m.Emit(m.Chance(80) ? "Identity" : "Dropout", {x.name}, x.bound);
  return true;
}

// The shape of an operand that broadcasts to `shape`: some dims 1, leading ones left out.
Shape Broadcastable(GraphMaker& m, Shape shape) {
  if (m.Chance(30)) {
    // A value per channel, the most frequent shape of all.
    Shape channels(shape.size() > 1 ? shape.size() - 1 : shape.size(), 1);
    channels[0] = shape.size() > 1 ? shape[1] : shape[0];
    return channels;
  }
  for (int64_t& dim : shape) {
    if (m.Chance(35)) dim = 1;
  }
  while (!shape.empty() && m.Chance(25)) shape.erase(shape.begin());
  return shape;
}

bool Broadcasts(const Shape& a, const Shape& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const int64_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

double BoundOf(const std::string& op, double a, double b) {
  if (op == "Mul") return a * b;
  return op == "Add" || op == "Sub" ? a + b : std::max(a, b);
}

std::string BinaryOperator(GraphMaker& m) {
  return m.OneOf<std::string>({"Add", "Add", "Add", "Sub", "Mul", "Mul", "Max", "Min"});
}

bool DrawWithConstant(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const std::string op = BinaryOperator(m);
  const std::string constant = m.Weight(Broadcastable(m, data.shape), 1);
  std::vector<std::string> inputs{data.name, constant};
  if (m.Chance(30)) std::swap(inputs[0], inputs[1]);
  m.Emit(op, inputs, BoundOf(op, data.bound, 3.5));
  return true;
}

bool DrawDivision(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  m.Emit("Div", {data.name, m.Positive(Broadcastable(m, data.shape))}, 2 * data.bound);
  return true;
}

bool DrawBinary(GraphMaker& m) {
  const GraphValue a = *m.Pick(Any);
  const GraphValue b = *m.Pick([&](const GraphValue& v) { return Broadcasts(a.shape, v.shape); });
  const std::string op = BinaryOperator(m);
  m.Emit(op, {a.name, b.name}, BoundOf(op, a.bound, b.bound));
  return true;
}

bool DrawSum(GraphMaker& m) {
  const GraphValue a = *m.Pick(Any);
  std::vector<std::string> inputs{a.name};
  double bound = a.bound;
  for (int64_t i = m.Between(1, 3); i > 0; --i) {
    const GraphValue b = *m.Pick([&](const GraphValue& v) { return v.shape == a.shape; });
    inputs.push_back(b.name);
    bound += b.bound;
  }
  m.Emit(m.OneOf<std::string>({"Sum", "Mean", "Max", "Min"}), inputs, bound);
  return true;
}

bool DrawWhere(GraphMaker& m) {
  const GraphValue a = *m.Pick(Any);
  const GraphValue b = *m.Pick([&](const GraphValue& v) { return v.shape == a.shape; });
  const GraphValue& tested = m.Chance(50) ? a : b;
  const std::string which = m.Node(m.Chance(50) ? "Greater" : "LessOrEqual", {tested.name, m.Scalar(0.25)});
  m.Emit("Where", {which, a.name, b.name}, std::max(a.bound, b.bound));
  return true;
}

// x * f(x) as exporters write it: a Mul of x and its Sigmoid, HardSigmoid or Tanh.
bool DrawGate(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  m.Emit(m.OneOf<std::string>({"Sigmoid", "HardSigmoid", "Tanh"}), {x.name}, 1);
  m.Emit("Mul", {x.name, m.last().name}, x.bound);
  return true;
}

}  // namespace

std::vector<DrawnFamily> ElementwiseDraws() {
  return {{DrawActivation, 10}, {DrawLeakyRelu, 1}, {DrawClip, 2},   {DrawPRelu, 1},    {DrawExp, 1},
          {DrawSquareRoot, 1},  {DrawIdentity, 3},  {DrawBinary, 8}, {DrawDivision, 1}, {DrawWithConstant, 6},
          {DrawSum, 2},         {DrawWhere, 1},     {DrawGate, 2}};
}

}  // namespace hone
