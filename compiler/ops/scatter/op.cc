// Elements and slices stored at the positions in a tensor, in the order of the updates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

// Checks the function that joins updates, in the attribute `name`.
void CheckJoin(const Attrs& attrs, const char* name, DType dtype) {
  const std::string join = attrs.GetString(name);
  const bool known = join == "update" || join == "add" || join == "mul" || join == "max" || join == "min";
  if (!known) Misfit(fmt::format("{} is \"{}\", it must be update, add, mul, max or min", name, join));
  if (join != "update" && !kNumbers.Has(dtype)) {
    Misfit(fmt::format("{} \"{}\" of {}", name, join, DTypeName(dtype)));
  }
}

void RequireUpdates(const Types& args, const Shape& shape) {
  const Shape& updates = RowMajorArg(args, 2, "updates").shape;
  if (updates != shape) Misfit(fmt::format("updates are {}, they must be {}", ShapeText(updates), ShapeText(shape)));
}

TypePtr ScatterElementsType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const Shape& indices = RowMajorArg(args, 1, "indices").shape;
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.GetInt("axis"), data.shape.size()));
  bool fits = indices.size() == data.shape.size();
  for (size_t d = 0; fits && d < indices.size(); ++d) fits = d == axis || indices[d] <= data.shape[d];
  if (!fits) Misfit(fmt::format("indices {} reach past data {}", ShapeText(indices), ShapeText(data.shape)));
  RequireUpdates(args, indices);
  CheckJoin(attrs, "reduction", data.dtype);
  return TensorType(data.shape, data.dtype);
}

TypePtr ScatterNdType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const Shape& indices = RowMajorArg(args, 1, "indices").shape;
  const auto depth = static_cast<int64_t>(indices.empty() ? 0 : indices[0]);
  if (depth < 1 || depth > static_cast<int64_t>(data.shape.size())) {
    Misfit(fmt::format("positions of {} parts for data {}", depth, ShapeText(data.shape)));
  }
  Shape updates(indices.begin() + 1, indices.end());
  updates.insert(updates.end(), data.shape.begin() + depth, data.shape.end());
  RequireUpdates(args, updates);
  CheckJoin(attrs, "mode", data.dtype);
  return TensorType(data.shape, data.dtype);
}

template <typename T>
T Joined(const std::string& join, T held, T update) {
  if constexpr (std::is_same_v<T, double>) {
    if (join == "max") return std::isnan(held) || held > update ? held : update;
    if (join == "min") return std::isnan(held) || held < update ? held : update;
    return join == "add" ? held + update : held * update;
  } else {
    if (join == "max") return std::max(held, update);
    if (join == "min") return std::min(held, update);
    const auto a = static_cast<uint64_t>(held), b = static_cast<uint64_t>(update);
    return static_cast<T>(join == "add" ? a + b : a * b);
  }
}

// A copy of the data in wide numbers: updates are joined one by one and rounded once.
template <typename T>
class Wide {
 public:
  explicit Wide(const Tensor& data) {
    for (int64_t i = 0; i < data.elements(); ++i) held_.push_back(Read(data, i));
  }
  void Join(const std::string& join, int64_t at, const Tensor& updates, int64_t i) {
    T& held = Nth(held_, at);
    held = Joined(join, held, Read(updates, i));
  }
  void Into(Tensor& result) const {
    for (int64_t i = 0; i < result.elements(); ++i) {
      if constexpr (std::is_same_v<T, double>) {
        result.Set(i, Nth(held_, i));
      } else {
        SetInteger(result, i, Nth(held_, i));
      }
    }
  }

 private:
  static T Read(const Tensor& tensor, int64_t i) {
    if constexpr (std::is_same_v<T, double>) return tensor.At(i);
    return static_cast<T>(IntegerAt(tensor, i));
  }

  std::vector<T> held_;
};

// The position on an axis of such an extent; -1 if the index is outside.
int64_t PlaceOnAxis(const Tensor& indices, int64_t i, int64_t extent) {
  const int64_t index = IntegerAt(indices, i), place = index < 0 ? index + extent : index;
  return place >= 0 && place < extent ? place : -1;
}

// Puts update i at element targets[i]; a negative one leaves it out.
Tensors Scattered(const Tensors& args, const std::string& join, const std::vector<int64_t>& targets) {
  Tensor result = args[0].Clone();
  const auto count = static_cast<int64_t>(targets.size());
  if (join == "update") {
    const int64_t bytes = DTypeBytes(result.dtype());
    for (int64_t i = 0; i < count; ++i) {
      if (Nth(targets, i) < 0) continue;
      std::memcpy(static_cast<char*>(result.raw()) + Nth(targets, i) * bytes,
                  static_cast<const char*>(args[2].raw()) + i * bytes, static_cast<size_t>(bytes));
    }
    return {result};
  }
  const auto joined = [&](auto wide) {
    for (int64_t i = 0; i < count; ++i) {
      if (Nth(targets, i) >= 0) wide.Join(join, Nth(targets, i), args[2], i);
    }
    wide.Into(result);
  };
  if (IsFloat(result.dtype())) {
    joined(Wide<double>(args[0]));
  } else {
    joined(Wide<int64_t>(args[0]));
  }
  return {result};
}

Tensors ScatterElements(const Tensors& args, const Attrs& attrs) {
  const Shape &data = args[0].shape(), &shape = args[1].shape();
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.GetInt("axis"), data.size()));
  const std::vector<int64_t> strides = RowMajorStrides(data);
  std::vector<int64_t> others = strides;
  others[axis] = 0;
  std::vector<int64_t> targets = StridedOffsets(shape, others);
  for (size_t i = 0; i < targets.size(); ++i) {
    const int64_t place = PlaceOnAxis(args[1], static_cast<int64_t>(i), data[axis]);
    targets[i] = place < 0 ? -1 : targets[i] + strides[axis] * place;
  }
  return Scattered(args, attrs.GetString("reduction"), targets);
}

Tensors ScatterNd(const Tensors& args, const Attrs& attrs) {
  const Shape& data = args[0].shape();
  const int64_t depth = args[1].shape()[0], places = args[1].elements() / depth;
  const int64_t slice = ViewAxis(data, depth - 1).inner;
  std::vector<int64_t> targets;
  for (int64_t place = 0; place < places; ++place) {
    int64_t at = 0;
    for (int64_t part = 0; part < depth && at >= 0; ++part) {
      const int64_t along = PlaceOnAxis(args[1], part * places + place, Nth(data, part));
      at = along < 0 ? -1 : at * Nth(data, part) + along;
    }
    for (int64_t k = 0; k < slice; ++k) targets.push_back(at < 0 ? -1 : at * slice + k);
  }
  return Scattered(args, attrs.GetString("mode"), targets);
}

OpDef Scattering(std::string name, std::string description) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.support_level = 3;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  return def;
}

constexpr char kJoins[] = "update, add, mul, max or min: what a later update does to what is there";

}  // namespace

OpTable ScatterOps() {
  OpDef elements =
      Scattering("scatter_elements", "the data, each update at the position along an axis that its index says");
  elements.inputs = {{"data", "any shape", kAnyElement},
                     {"indices", "negative ones count from the back", kIndices},
                     {"updates", "as many as indices", ElementRule::Like(0)}};
  elements.attrs = {{"axis", AttrKind::kInt, int64_t{0}, "the axis that is indexed"},
                    {"reduction", AttrKind::kString, std::string("update"), kJoins}};
  elements.type_relation = ScatterElementsType;
  elements.reference = ScatterElements;
  OpDef nd = Scattering("scatter_nd",
                        "the data, slices of updates at positions whose parts lie along the first axis of indices");
  nd.inputs = {{"data", "any shape", kAnyElement},
               {"indices", "negative ones count from the back", kIndices},
               {"updates", "a slice for each position", ElementRule::Like(0)}};
  nd.attrs = {{"mode", AttrKind::kString, std::string("update"), kJoins}};
  nd.type_relation = ScatterNdType;
  nd.reference = ScatterNd;
  return {elements, nd};
}

}  // namespace hone::relay
