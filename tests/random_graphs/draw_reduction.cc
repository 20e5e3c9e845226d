// Sums, means and extremes over axes, and normalisations by them.
#include <algorithm>
#include <cmath>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

bool HasAxes(const GraphValue& v) { return v.rank() > 0; }

bool DrawReduce(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const std::string op = m.OneOf<std::string>({"ReduceMean", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum",
                                               "ReduceL1", "ReduceSumSquare", "ReduceLogSumExp"});
  std::vector<int64_t> axes;
  int64_t reduced = 1;
  for (int64_t i = 0; i < data.rank(); ++i) {
    if (!m.Chance(i >= 2 ? 60 : 30)) continue;
    axes.push_back(m.Chance(80) ? i : i - data.rank());
    reduced *= data.shape[static_cast<size_t>(i)];
  }
  const bool grows = op == "ReduceSum" || op == "ReduceL1" || op == "ReduceSumSquare";
  const double count = static_cast<double>(axes.empty() ? data.elements() : reduced);
  // The largest element and the mean of no elements are undefined.
  if (count == 0 && !grows) return false;
  OnnxAttributes attributes = {{"keepdims", IntAttribute(m.Between(0, 1))}};
  std::vector<std::string> inputs{data.name};
  if (!axes.empty() && op == "ReduceSum") inputs.push_back(m.Ints(axes));
  if (!axes.empty() && op != "ReduceSum") attributes.emplace_back("axes", IntsAttribute(axes));
  const double each = op == "ReduceSumSquare" ? data.bound * data.bound : data.bound;
  m.Emit(op, inputs, grows ? each * count : data.bound + 8, attributes);
  return true;
}

bool DrawSoftmax(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t axis = m.Chance(50) ? -1 : m.Between(0, data.rank() - 1);
  const bool log = m.Chance(25);
  m.Emit(log ? "LogSoftmax" : "Softmax", {data.name}, log ? 2 * data.bound + 8 : 1, {{"axis", IntAttribute(axis)}});
  return true;
}

// Only the values are compared: positions of equal elements are not determined.
bool DrawTopK(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t axis = m.Between(0, data.rank() - 1);
  const int64_t dim = data.shape[static_cast<size_t>(axis)];
  const int64_t count = m.Between(std::min<int64_t>(dim, 1), std::min<int64_t>(dim, 5));
  const std::string values = m.Node("TopK", {data.name, m.Ints({count})},
                                    {{"axis", IntAttribute(axis)}, {"largest", IntAttribute(m.Between(0, 1))}}, 2);
  m.Emit("Identity", {values}, data.bound);
  return true;
}

bool DrawCumSum(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t axis = m.Between(0, data.rank() - 1);
  m.Emit("CumSum", {data.name, m.Ints({axis})}, data.bound * static_cast<double>(data.shape[static_cast<size_t>(axis)]),
         {{"exclusive", IntAttribute(m.Between(0, 1))}, {"reverse", IntAttribute(m.Between(0, 1))}});
  return true;
}

// Transforms of real values, of lengths that take one product or have several factors.
bool DrawDft(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 1 && v.elements() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t length = m.OneOf<int64_t>({data.shape.back(), 9, 150});
  Shape shape = data.shape;
  shape.push_back(1);
  m.Emit("Reshape", {data.name, m.Ints(shape)}, data.bound);
  m.Emit("DFT", {m.last().name, m.Ints({length})},
         data.bound * static_cast<double>(std::min(length, data.shape.back())),
         {{"axis", IntAttribute(data.rank() - 1)}, {"onesided", IntAttribute(m.Between(0, 1))}});
  return true;
}

bool DrawBatchNorm(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t channels = data.shape[1];
  m.Emit(
      "BatchNormalization",
      {data.name, m.Positive({channels}), m.Weight({channels}, 0.5), m.Weight({channels}, 0.5), m.Positive({channels})},
      3 * data.bound + 2);
  return true;
}

// Rows are divided by their spread, and a single element has none.
bool HasLongRows(const GraphValue& v) { return v.rank() >= 3 && v.shape.back() >= 3; }

bool DrawNormalization(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasLongRows);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t channels = data.shape[1];
  OnnxAttributes attributes = {{"epsilon", FloatAttribute(0.1)}};
  if (m.Chance(50)) {
    m.Emit("InstanceNormalization", {data.name, m.Positive({channels}), m.Weight({channels}, 0.5)}, 10, attributes);
    return true;
  }
  const int64_t axis = m.Chance(50) ? data.rank() - 1 : m.Between(0, data.rank() - 1);
  const Shape line(data.shape.begin() + axis, data.shape.end());
  attributes.emplace_back("axis", IntAttribute(m.Chance(50) ? axis : axis - data.rank()));
  m.Emit("LayerNormalization", {data.name, m.Positive(line), m.Weight(line, 0.5)}, 10, attributes);
  return true;
}

// Over the last axis and any others, possibly with images among them.
bool DrawWrittenNormalization(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasLongRows);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  std::vector<int64_t> axes{data.rank() - 1};
  for (int64_t i = 0; i + 1 < data.rank(); ++i) {
    if (m.Chance(50)) axes.push_back(i);
  }
  const OnnxAttributes attributes = {{"axes", IntsAttribute(axes)}, {"keepdims", IntAttribute(1)}};
  const std::string centred = m.Node("Sub", {data.name, m.Node("ReduceMean", {data.name}, attributes)});
  const std::string variance = m.Node("ReduceMean", {m.Node("Mul", {centred, centred})}, attributes);
  const std::string deviation = m.Node("Sqrt", {m.Node("Add", {variance, m.Scalar(0.1)})});
  m.Emit("Div", {centred, deviation}, 10);
  return true;
}

bool DrawLrn(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() == 4; });
  if (x == nullptr) return false;
  m.Emit("LRN", {x->name}, x->bound, {{"size", IntAttribute(m.OneOf<int64_t>({1, 3, 5}))}});
  return true;
}

}  // namespace

std::vector<DrawnFamily> ReductionDraws() {
  return {{DrawReduce, 5},
          {DrawSoftmax, 3},
          {DrawCumSum, 1},
          {DrawTopK, 1},
          {DrawBatchNorm, 3},
          {DrawNormalization, 2},
          {DrawWrittenNormalization, 2},
          {DrawLrn, 1},
          {DrawDft, 1}};
}

}  // namespace hone
