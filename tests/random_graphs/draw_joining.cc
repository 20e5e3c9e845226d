// Operators that join values and split them: values then share memory.
#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

bool HasAxes(const GraphValue& v) { return v.rank() > 0; }

bool JoinsAlong(const Shape& a, const Shape& b, size_t axis) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (i != axis && a[i] != b[i]) return false;
  }
  return true;
}

size_t DrawAxis(GraphMaker& m, int64_t rank) {
  if (rank > 1 && m.Chance(60)) return 1;
  return static_cast<size_t>(m.Between(0, rank - 1));
}

bool DrawConcat(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue first = *x;
  const size_t axis = DrawAxis(m, first.rank());
  std::vector<std::string> inputs{first.name};
  double bound = first.bound;
  for (int64_t i = m.Between(1, 3); i > 0; --i) {
    const GraphValue other = *m.Pick([&](const GraphValue& v) { return JoinsAlong(first.shape, v.shape, axis); });
    inputs.push_back(other.name);
    bound = std::max(bound, other.bound);
  }
  if (m.Chance(15)) {
    Shape shape = first.shape;
    shape[axis] = m.Between(1, 3);
    inputs[inputs.size() - 1] = m.Weight(shape, 1);
  }
  const auto at = static_cast<int64_t>(axis);
  m.Emit("Concat", inputs, std::max(bound, 3.5), {{"axis", IntAttribute(m.Chance(80) ? at : at - first.rank())}});
  return true;
}

// Branches from one value, joined: each is written in place.
bool DrawConcatOfBranches(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue from = *x;
  std::vector<std::string> inputs;
  for (int64_t i = m.Between(1, 3); i > 0; --i) {
    m.Emit(m.OneOf<std::string>({"Relu", "Sigmoid", "Neg", "Identity", "Tanh"}), {from.name},
           std::max(1.0, from.bound));
    inputs.push_back(m.last().name);
  }
  if (m.Chance(50)) inputs.insert(inputs.begin() + m.Between(0, static_cast<int64_t>(inputs.size())), from.name);
  const auto axis = static_cast<int64_t>(DrawAxis(m, from.rank()));
  m.Emit("Concat", inputs, std::max(1.0, from.bound), {{"axis", IntAttribute(axis)}});
  return true;
}

bool DrawSlice(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  std::vector<int64_t> starts, ends, axes, steps;
  for (int64_t axis = 0; axis < data.rank(); ++axis) {
    if (!m.Chance(axis == 1 ? 60 : 25) && axis + 1 < data.rank()) continue;
    const int64_t dim = data.shape[static_cast<size_t>(axis)];
    if (dim == 0) continue;
    const int64_t begin = m.Between(0, dim - 1), end = m.Chance(3) ? begin : m.Between(begin + 1, dim);
    const bool backwards = m.Chance(10);
    starts.push_back(backwards ? end - 1 : begin);
    ends.push_back(backwards ? begin - 1 - (begin == 0 ? dim : 0) : m.Chance(20) && end == dim ? 1 << 20 : end);
    steps.push_back((backwards ? -1 : 1) * m.OneOf<int64_t>({1, 1, 1, 2}));
    axes.push_back(m.Chance(80) ? axis : axis - data.rank());
  }
  if (axes.empty()) return false;
  m.Emit("Slice", {data.name, m.Ints(starts), m.Ints(ends), m.Ints(axes), m.Ints(steps)}, data.bound);
  return true;
}

bool DrawSplit(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const size_t axis = DrawAxis(m, data.rank());
  const int64_t parts = m.Between(2, 3);
  if (data.shape[axis] < parts) return false;
  std::vector<int64_t> sizes;
  int64_t left = data.shape[axis];
  for (int64_t i = parts; i > 1; --i) {
    sizes.push_back(m.Chance(50) ? left / i : m.Chance(5) ? 0 : m.Between(1, left - i + 1));
    left -= sizes.back();
  }
  sizes.push_back(left);
  m.Emit("Split", {data.name, m.Ints(sizes)}, data.bound, {{"axis", IntAttribute(static_cast<int64_t>(axis))}}, parts);
  return true;
}

bool DrawPad(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const std::string mode = m.OneOf<std::string>({"constant", "constant", "reflect", "edge"});
  std::vector<int64_t> pads;
  for (size_t i = 0; i < 2 * data.shape.size(); ++i) {
    const size_t axis = i % data.shape.size();
    const int64_t dim = data.shape[axis];
    const int64_t most = mode == "constant" ? 3 : dim == 0 ? 0 : mode == "reflect" ? std::min<int64_t>(dim - 1, 3) : 3;
    pads.push_back(axis >= 2 || m.Chance(20) ? m.Between(0, most) : 0);
  }
  std::vector<std::string> inputs{data.name, m.Ints(pads)};
  if (mode == "constant" && m.Chance(50)) inputs.push_back(m.Scalar(m.Chance(50) ? 0 : 1));
  m.Emit("Pad", inputs, std::max(1.0, data.bound), {{"mode", TextAttribute(mode)}});
  return true;
}

bool DrawGather(GraphMaker& m) {
  const GraphValue* x = m.Pick(HasAxes);
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const size_t axis = DrawAxis(m, data.rank());
  std::vector<int64_t> indices;
  const int64_t count = data.shape[axis] == 0 || m.Chance(3) ? 0 : m.Between(1, 5);
  for (int64_t i = 0; i < count; ++i) indices.push_back(m.Between(-data.shape[axis], data.shape[axis] - 1));
  m.Emit("Gather", {data.name, m.Ints(indices)}, data.bound, {{"axis", IntAttribute(static_cast<int64_t>(axis))}});
  return true;
}

}  // namespace

std::vector<DrawnFamily> JoiningDraws() {
  return {{DrawConcat, 7}, {DrawConcatOfBranches, 4}, {DrawSlice, 5}, {DrawSplit, 4}, {DrawPad, 3}, {DrawGather, 1}};
}

}  // namespace hone
