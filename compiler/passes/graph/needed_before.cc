#include "compiler/passes/graph/needed_before.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;

namespace {

NeededPositions Reduced(NeededPositions positions) {
  const int64_t shared = std::gcd(std::gcd(positions.scale, positions.step), positions.plus);
  positions.scale /= shared;
  positions.step /= shared;
  positions.plus /= shared;
  return positions;
}

std::vector<int64_t> FoldedAxesOf(const Call& call, int64_t rank) {
  const relay::AttrValue* value = call.attrs.Find("axis");
  std::vector<int64_t> axes;
  if (value != nullptr) {
    if (const auto* one = std::get_if<int64_t>(value)) axes = {*one};
    if (const auto* list = std::get_if<std::vector<int64_t>>(value)) axes = *list;
  }
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

// Outputs along one side of the largest tile of conv2d_winograd.
constexpr int64_t kMostWinogradTile = 4;

int64_t TakenAxis(const Call& take) {
  const int64_t axis = take.attrs.GetInt("axis");
  return axis < 0 ? axis + static_cast<int64_t>(take.args[0]->type->shape.size()) : axis;
}

}  // namespace

NeededAxes BeforeReshape(const Shape& from, const Shape& to, const NeededAxes& needed) {
  NeededAxes before(from.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t old_lead = i, new_lead = j;
    int64_t old_elements = i < from.size() ? from[i++] : 1, new_elements = j < to.size() ? to[j++] : 1;
    while (old_elements != new_elements) {
      if (old_elements < new_elements && i < from.size()) {
        old_elements *= from[i++];
      } else if (j < to.size()) {
        new_elements *= to[j++];
      } else {
        return NeededAxes(from.size());  // of a shape without elements
      }
    }
    while (old_lead + 1 < i && from[old_lead] == 1) ++old_lead;
    while (new_lead + 1 < j && to[new_lead] == 1) ++new_lead;
    if (old_lead >= i || new_lead >= j || !needed[new_lead] || old_elements == 0) continue;
    const NeededPositions& wanted = *needed[new_lead];
    const int64_t new_inner = new_elements / to[new_lead], old_inner = old_elements / from[old_lead];
    // A count that was rounded up cannot be multiplied.
    if (wanted.step != 1 && new_inner != 1) continue;
    before[old_lead] =
        Reduced({wanted.extent, wanted.scale * new_inner, wanted.step * old_inner, wanted.plus * new_inner});
  }
  return before;
}

NeededAxes BeforeBroadcast(const Shape& from, const Shape& to, const NeededAxes& needed) {
  NeededAxes before(from.size());
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == to[lead + d]) before[d] = needed[lead + d];
  }
  return before;
}

NeededAxes BeforeFold(const Call& call, const NeededAxes& needed) {
  const Shape& from = call.args[0]->type->shape;
  const std::vector<int64_t> axes = FoldedAxesOf(call, static_cast<int64_t>(from.size()));
  const bool keeps = from.size() == needed.size();
  NeededAxes before(from.size());
  for (size_t d = 0, at = 0; d < from.size(); ++d) {
    const bool folded = std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) != axes.end();
    if (!folded && at < needed.size()) before[d] = needed[at];
    if (!folded || keeps) ++at;
  }
  return before;
}

NeededAxes BeforeTranspose(const Call& call, const NeededAxes& needed) {
  std::vector<int64_t> axes = call.attrs.GetInts("axes");
  for (size_t d = needed.size(); axes.size() < needed.size();) axes.push_back(static_cast<int64_t>(--d));
  NeededAxes before(needed.size());
  for (size_t d = 0; d < axes.size(); ++d) {
    Nth(before, axes[d] < 0 ? axes[d] + static_cast<int64_t>(axes.size()) : axes[d]) = needed[d];
  }
  return before;
}

NeededAxes BeforeSlice(const Call& call, const NeededAxes& needed) {
  NeededAxes before = needed;
  const auto begin = call.attrs.GetInts("begin");
  std::vector<int64_t> strides = call.attrs.GetInts("strides"), axes = call.attrs.GetInts("axes");
  strides.resize(begin.size(), strides.size() == 1 ? strides[0] : 1);
  for (size_t i = axes.size(); i < begin.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < begin.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + static_cast<int64_t>(needed.size()) : axes[i];
    std::optional<NeededPositions>& positions = Nth(before, axis);
    if (begin[i] < 0 || strides[i] != 1) positions.reset();
    if (positions) positions->plus += begin[i] * positions->step;
  }
  return before;
}

NeededAxes BeforePad(const Call& call, const NeededAxes& needed) {
  NeededAxes before = needed;
  const std::vector<int64_t> width = call.attrs.GetInts("pad_width");
  for (size_t d = 0; d < before.size(); ++d) {
    // A constant in front moves the data back, so that fewer positions of them are needed than of the result. Copies of
    // other positions may be of any.
    const bool moves = width.at(2 * d) >= 0 && call.attrs.GetString("pad_mode", "constant") == "constant";
    const bool stays = width.at(2 * d) == 0 && width.at(2 * d + 1) == 0;
    if (!moves && !stays) before[d].reset();
  }
  return before;
}

size_t DepthAxis(const Call& call, size_t side) {
  const bool depth_first = side == 0 ? call.attrs.GetBool("transpose_a") : !call.attrs.GetBool("transpose_b", true);
  return depth_first ? 1 : 2;
}

NeededAxes BeforeMatmul(const Call& call, size_t side, const NeededAxes& needed) {
  NeededAxes before(3);
  if (call.args[side]->type->shape[0] == call.type->shape[0]) before[0] = needed[0];
  before[3 - DepthAxis(call, side)] = needed[side == 0 ? 1 : 2];
  return before;
}

bool ReadsWindows(const Call& call) {
  const std::string_view op = relay::AsOp(call.op)->def->name;
  const bool convolves = op == "nn.conv2d" || op == "nn.conv3d";
  if (!convolves && !op.starts_with("nn.max_pool") && !op.starts_with("nn.avg_pool")) return false;
  if (convolves && !call.attrs.GetString("kernel_layout", "OI").starts_with("OI")) return false;
  return call.attrs.GetString(convolves ? "data_layout" : "layout", "NC").starts_with("NC");
}

NeededAxes BeforeWindows(const Call& call, const NeededAxes& needed) {
  const size_t spatial = needed.size() - 2;
  const bool pools = call.args.size() == 1;
  const auto sizes = call.attrs.GetInts(pools ? "pool_size" : "kernel_size");
  const auto strides = call.attrs.GetInts("strides"), dilation = call.attrs.GetInts("dilation");
  const auto padding = call.attrs.GetInts("padding");
  const auto at = [](const std::vector<int64_t>& values, size_t i, int64_t otherwise) {
    return values.empty() ? otherwise : values[values.size() == 1 ? 0 : i];
  };
  NeededAxes before = FirstOnly(needed.size(), needed);
  for (size_t i = 0; i < spatial; ++i) {
    if (!needed[2 + i]) continue;
    NeededPositions positions = *needed[2 + i];
    const int64_t stride = at(strides, i, 1), size = pools ? at(sizes, i, 1) : call.args[1]->type->shape[2 + i];
    const int64_t more = (size - 1) * at(dilation, i, 1) + 1 - stride - at(padding, i, 0);
    // All outputs of a Winograd tile depend on all of its inputs, if only by rounding and by NaN.
    if (size == 3 && stride == 1 && !pools) positions.plus += (kMostWinogradTile - 1) * positions.step;
    // A number of positions that was rounded up may be one step larger than its fraction.
    positions.plus = (positions.plus + positions.step - 1) * stride + more * positions.step;
    positions.scale *= stride;
    before[2 + i] = Reduced(positions);
  }
  return before;
}

NeededAxes BeforeSpread(const std::vector<int64_t>& strides, const NeededAxes& needed) {
  NeededAxes before = FirstOnly(needed.size(), needed);
  for (size_t i = 0; i < strides.size(); ++i) {
    before[2 + i] = needed[2 + i];
    if (before[2 + i]) before[2 + i]->step *= strides[i];
    if (before[2 + i]) before[2 + i] = Reduced(*before[2 + i]);
  }
  return before;
}

NeededAxes FirstOnly(size_t rank, const NeededAxes& needed) {
  NeededAxes before(rank);
  if (rank > 0 && !needed.empty()) before[0] = needed[0];
  return before;
}

NeededAxes BeforeTake(const Call& call, const NeededAxes& needed) {
  const Shape &data = call.args[0]->type->shape, &indices = call.args[1]->type->shape;
  const int64_t axis = TakenAxis(call);
  NeededAxes before(data.size());
  for (int64_t d = 0; d < static_cast<int64_t>(data.size()); ++d) {
    if (d == axis) continue;
    Nth(before, d) = Nth(needed, d < axis ? d : d - 1 + static_cast<int64_t>(indices.size()));
  }
  return before;
}

NeededAxes BeforeGather(const Call& call, const NeededAxes& needed) {
  NeededAxes before = needed;
  Nth(before, TakenAxis(call)).reset();
  return before;
}

NeededAxes BeforeIndices(const Call& call, const NeededAxes& needed) {
  const std::string_view op = relay::AsOp(call.op)->def->name;
  const auto rank = static_cast<int64_t>(call.args[1]->type->shape.size());
  if (op == "gather") return needed;
  NeededAxes before(static_cast<size_t>(rank));
  // The first axis of gather_nd's indices holds the parts of a position.
  const int64_t first = op == "gather_nd" ? 1 : 0, from = op == "gather_nd" ? 0 : TakenAxis(call);
  for (int64_t d = first; d < rank; ++d) Nth(before, d) = Nth(needed, from + d - first);
  return before;
}

}  // namespace hone
