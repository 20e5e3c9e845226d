// Elements picked by positions that come from data: every lane reads at its own position.
#include "compiler/generic/operand_access.h"
#include "compiler/generic/places.h"
#include "compiler/ops/kernel_families.h"
#include "core/nth.h"

namespace hone {
namespace {

Value* Gather(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const Shape& data = TensorTypeOf(call.args[0]).shape;
  const int64_t given = call.attrs.GetInt("axis");
  const auto axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(data.size()) : given);
  Coordinates from = at;
  const bool whole = !hone::IsFloat(TensorTypeOf(call.args[1]).dtype);
  if (whole && ReadsByPlaces(e, call.args[0], lanes)) {
    from[axis] = PlacesAt(e, call.args[1], at, lanes, data[axis]);
    return e.Eval(call.args[0], from, lanes);
  }
  if (lanes.count > 1) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return Gather(e, call, one, kScalar); });
  }
  from[axis] = At(SafeIndex(e.b(), e.Eval(call.args[1], at, kScalar), data[axis]));
  return e.Eval(call.args[0], from, kScalar);
}

// The result's axes are those of the positions, then the axes of the data that a position does not select.
Value* GatherNd(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const Shape &data = TensorTypeOf(call.args[0]).shape, &indices = TensorTypeOf(call.args[1]).shape;
  const auto places = at.begin() + static_cast<int64_t>(indices.size()) - 1;
  Coordinates position(at.begin(), places);
  if (Varies(position)) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return GatherNd(e, call, one, kScalar); });
  }
  const int64_t batch = call.attrs.GetInt("batch_dims", 0);
  Coordinates from(at.begin(), at.begin() + batch);
  position.insert(position.begin(), At(e.b(), 0));
  for (int64_t part = 0; part < indices[0]; ++part) {
    position[0] = At(e.b(), part);
    Value* index = e.Eval(call.args[1], position, kScalar);
    from.push_back(At(SafeIndex(e.b(), index, Nth(data, batch + part))));
  }
  from.insert(from.end(), places, at.end());
  return e.Eval(call.args[0], from, lanes);
}

}  // namespace

EmitterTable GatherEmitters() { return {{"gather", Gather}, {"gather_nd", GatherNd}}; }

}  // namespace hone
