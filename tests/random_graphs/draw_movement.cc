// Operators that give the same elements in another order or shape.
#include <algorithm>
#include <numeric>

#include "tests/random_graphs/graph_maker.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

bool Any(const GraphValue&) { return true; }

bool DrawTranspose(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  std::vector<int64_t> perm(data.shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  if (data.rank() == 4 && m.Chance(50)) {
    perm = m.Chance(50) ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 3, 1, 2};
  } else {
    for (size_t i = perm.size(); i > 1; --i) {
      std::swap(perm[i - 1], perm[static_cast<size_t>(m.Between(0, static_cast<int64_t>(i) - 1))]);
    }
  }
  m.Emit("Transpose", {data.name}, data.bound, {{"perm", IntsAttribute(perm)}});
  return true;
}

// Any shape with a 0 has no elements, so the result is not used further.
bool ReshapeEmpty(GraphMaker& m, const GraphValue& data) {
  Shape shape{0};
  for (int64_t rank = m.Between(1, 4); rank > 1; --rank) {
    shape.insert(shape.begin() + m.Between(0, static_cast<int64_t>(shape.size())), m.Between(0, 6));
  }
  m.Emit("Reshape", {data.name, m.Ints(shape)}, data.bound, {{"allowzero", IntAttribute(1)}});
  return true;
}

bool DrawReshape(GraphMaker& m) {
  const GraphValue data = *m.Pick(Any);
  if (data.elements() == 0) return ReshapeEmpty(m, data);
  Shape shape;
  int64_t left = data.elements();
  const int64_t rank = m.Between(1, 5);
  while (static_cast<int64_t>(shape.size()) + 1 < rank) {
    std::vector<int64_t> divisors{1};
    for (int64_t d = 2; d <= left && d <= 64; ++d) {
      if (left % d == 0) divisors.push_back(d);
    }
    const bool keeps = shape.empty() && data.rank() > 0 && left % data.shape[0] == 0 && m.Chance(50);
    shape.push_back(keeps ? data.shape[0] : m.OneOf(divisors));
    left /= shape.back();
  }
  shape.push_back(m.Chance(50) ? -1 : left);
  m.Emit("Reshape", {data.name, m.Ints(shape)}, data.bound);
  return true;
}

bool DrawFlatten(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  m.Emit("Flatten", {x.name}, x.bound,
         {{"axis", IntAttribute(m.Chance(75) && x.rank() > 0 ? 1 : m.Between(0, x.rank()))}});
  return true;
}

bool DrawUnsqueeze(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() <= 4; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  m.Emit("Unsqueeze", {data.name, m.Ints({m.Between(0, data.rank())})}, data.bound);
  return true;
}

bool DrawSqueeze(GraphMaker& m) {
  const GraphValue* x =
      m.Pick([](const GraphValue& v) { return std::find(v.shape.begin(), v.shape.end(), 1) != v.shape.end(); });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  std::vector<int64_t> ones;
  for (size_t i = 0; i < data.shape.size(); ++i) {
    if (data.shape[i] == 1) ones.push_back(static_cast<int64_t>(i));
  }
  m.Emit("Squeeze", {data.name, m.Ints({m.OneOf(ones)})}, data.bound);
  return true;
}

bool DrawExpand(GraphMaker& m) {
  const GraphValue x = *m.Pick(Any);
  Shape shape = x.shape;
  for (int64_t& dim : shape) {
    if (dim == 1 && m.Chance(60)) dim = m.Chance(3) ? 0 : m.Between(1, 5);
  }
  if (m.Chance(20)) shape.insert(shape.begin(), m.Between(1, 3));
  m.Emit("Expand", {x.name, m.Ints(shape)}, x.bound);
  return true;
}

bool DrawTile(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  std::vector<int64_t> repeats;
  for (int64_t i = 0; i < data.rank(); ++i) repeats.push_back(m.Chance(35) ? m.Between(m.Chance(5) ? 0 : 1, 3) : 1);
  m.Emit("Tile", {data.name, m.Ints(repeats)}, data.bound);
  return true;
}

bool DrawDepthToSpace(GraphMaker& m) {
  const bool to_space = m.Chance(60);
  const GraphValue* x = m.Pick([&](const GraphValue& v) {
    return v.rank() == 4 && (to_space ? v.shape[1] % 4 == 0 : v.shape[2] % 2 == 0 && v.shape[3] % 2 == 0);
  });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  OnnxAttributes attributes = {{"blocksize", IntAttribute(2)}};
  if (to_space) attributes.emplace_back("mode", TextAttribute(m.Chance(50) ? "DCR" : "CRD"));
  m.Emit(to_space ? "DepthToSpace" : "SpaceToDepth", {data.name}, data.bound, attributes);
  return true;
}

bool DrawTrilu(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2; });
  if (x == nullptr) return false;
  m.Emit("Trilu", {x->name}, x->bound, {{"upper", IntAttribute(m.Between(0, 1))}});
  return true;
}

// The channels of several groups are interleaved.
bool DrawChannelShuffle(GraphMaker& m) {
  const GraphValue* x =
      m.Pick([](const GraphValue& v) { return v.rank() == 4 && v.elements() > 0 && v.shape[1] % 2 == 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const Shape& s = data.shape;
  m.Emit("Reshape", {data.name, m.Ints({s[0], 2, s[1] / 2, s[2], s[3]})}, data.bound);
  m.Emit("Transpose", {m.last().name}, data.bound, {{"perm", IntsAttribute({0, 2, 1, 3, 4})}});
  m.Emit("Reshape", {m.last().name, m.Ints(s)}, data.bound);
  return true;
}

bool DrawReverseSequence(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 2 && v.elements() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t time = m.Between(0, 1);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < data.shape[static_cast<size_t>(1 - time)]; ++i) {
    lengths.push_back(m.Between(1, data.shape[static_cast<size_t>(time)]));
  }
  m.Emit("ReverseSequence", {data.name, m.Ints(lengths)}, data.bound,
         {{"time_axis", IntAttribute(time)}, {"batch_axis", IntAttribute(1 - time)}});
  return true;
}

// Slices written at constant positions, some of them counted from the end.
bool DrawScatter(GraphMaker& m) {
  const GraphValue* x = m.Pick([](const GraphValue& v) { return v.rank() >= 1 && v.elements() > 0; });
  if (x == nullptr) return false;
  const GraphValue data = *x;
  const int64_t count = m.Between(1, 3);
  Tensor places(DType::kInt64, {count, 1});
  for (int64_t i = 0; i < count; ++i) places.Set(i, static_cast<double>(m.Between(-data.shape[0], data.shape[0] - 1)));
  Shape updates = data.shape;
  updates[0] = count;
  m.Emit("ScatterND", {data.name, m.Constant(places), m.Weight(updates, 1)}, std::max(data.bound, 5.0));
  return true;
}

}  // namespace

std::vector<DrawnFamily> MovementDraws() {
  return {{DrawTranspose, 5},       {DrawReshape, 4}, {DrawFlatten, 2}, {DrawUnsqueeze, 1},    {DrawSqueeze, 1},
          {DrawExpand, 1},          {DrawTile, 1},    {DrawTrilu, 1},   {DrawDepthToSpace, 1}, {DrawChannelShuffle, 1},
          {DrawReverseSequence, 1}, {DrawScatter, 1}};
}

}  // namespace hone
