// Products of matrices.
#include <cmath>
#include <numeric>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

double Scale(int64_t depth) { return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(depth, 1))); }

bool DrawGemm(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() == 2; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const bool trans_a = m.Chance(20), trans_b = m.Chance(60);
  const int64_t rows = data.shape[trans_a ? 1 : 0], depth = data.shape[trans_a ? 0 : 1], out = m.Channels();
  const std::string weight = m.Weight(trans_b ? Shape{out, depth} : Shape{depth, out}, Scale(depth));
  std::vector<std::string> inputs{data.name, weight};
  if (m.Chance(60)) inputs.push_back(m.Weight(m.Chance(70) ? Shape{out} : Shape{m.Chance(50) ? rows : 1, 1}, 0.5));
  OnnxAttributes attributes = {{"transA", IntAttribute(trans_a ? 1 : 0)}, {"transB", IntAttribute(trans_b ? 1 : 0)}};
  if (m.Chance(20)) attributes.emplace_back("alpha", FloatAttribute(0.5));
  if (m.Chance(20)) attributes.emplace_back("beta", FloatAttribute(2));
  m.Emit("Gemm", inputs, 2 * data.bound + 2, attributes);
  return true;
}

bool DrawMatMulWithWeight(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t depth = data.shape.back(), out = m.Channels();
  if (data.elements() * out > m.limits().multiply_adds) return false;
  const bool first = data.rank() == 2 && m.Chance(15);
  const Shape shape = first ? Shape{out, data.shape[0]} : Shape{depth, out};
  const std::string weight = m.Weight(shape, Scale(first ? data.shape[0] : depth));
  m.Emit("MatMul", first ? std::vector<std::string>{weight, data.name} : std::vector<std::string>{data.name, weight},
         2 * data.bound);
  if (m.Chance(40)) m.Emit("Add", {m.last().name, m.Weight({m.last().shape.back()}, 0.5)}, 2 * data.bound + 2);
  return true;
}

// Two computed matrices: as they are if their depths match, else with one of them transposed, as in attention.
bool DrawMatMulOfTwo(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2 && v.bound < 8; });
  if (x == nullptr) return false;
  const GraphValue a = *x;
  const auto suits = [&](const GraphValue& v) {
    return v.rank() == a.rank() && v.bound < 8 && v.shape.back() == a.shape.back() &&
           std::equal(v.shape.begin(), v.shape.end() - 2, a.shape.begin());
  };
  const GraphValue b = *m.Pick(suits);
  if (a.elements() * b.shape[b.shape.size() - 2] > m.limits().multiply_adds) return false;
  std::vector<int64_t> turned(b.shape.size());
  std::iota(turned.begin(), turned.end(), 0);
  std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  m.Emit("Transpose", {b.name}, b.bound, {{"perm", IntsAttribute(turned)}});
  const double bound = a.bound * b.bound * static_cast<double>(a.shape.back());
  m.Emit("MatMul", {a.name, m.last().name}, std::sqrt(bound));
  if (m.Chance(50)) {
    m.Emit("Mul", {m.last().name, m.Scalar(Scale(a.shape.back()))}, m.last().bound);
    m.Emit("Softmax", {m.last().name}, 1, {{"axis", IntAttribute(-1)}});
  }
  return true;
}

// A matrix along the last axis, a sum over one axis, or a transpose of two axes, each written as Einsum.
bool DrawEinsum(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2 && v.rank() <= 4; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const std::string axes = std::string("abcd").substr(0, data.shape.size());
  const std::string outer = axes.substr(0, axes.size() - 1);
  const int64_t depth = data.shape.back(), kind = m.Between(0, 2);
  if (kind == 0) {
    const int64_t out = m.Channels();
    if (data.elements() * out > m.limits().multiply_adds) return false;
    m.Emit("Einsum", {data.name, m.Weight({depth, out}, Scale(depth))}, 2 * data.bound,
           {{"equation", TextAttribute(axes + "," + axes.back() + "z->" + outer + "z")}});
  } else if (kind == 1) {
    m.Emit("Einsum", {data.name}, data.bound * static_cast<double>(depth),
           {{"equation", TextAttribute(axes + "->" + outer)}});
  } else {
    std::string turned = axes;
    std::swap(turned[0], turned[turned.size() - 1]);
    m.Emit("Einsum", {data.name}, data.bound, {{"equation", TextAttribute(axes + "->" + turned)}});
  }
  return true;
}

}  // namespace

std::vector<DrawnFamily> ProductDraws() {
  return {{DrawGemm, 4}, {DrawMatMulWithWeight, 3}, {DrawMatMulOfTwo, 2}, {DrawEinsum, 1}};
}

}  // namespace hone
