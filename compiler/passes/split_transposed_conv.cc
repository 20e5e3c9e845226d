#include "compiler/passes/split_transposed_conv.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "compiler/passes/graph/channel_constant.h"
#include "compiler/passes/graph/typed_graph.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Along one axis, the outputs at `phase` modulo the stride: tap j of their window is tap first + stride * (taps - 1 -
// j) of the weight.
struct Phase {
  int64_t first = 0;
  int64_t taps = 0;
  int64_t before = 0;  // padding
  int64_t after = 0;
};

struct Axis {
  int64_t data = 0;
  int64_t result = 0;
  int64_t kernel = 0;
  int64_t stride = 1;
  int64_t padding = 0;  // cut off in front
};

std::optional<Phase> PhaseOf(const Axis& axis, int64_t phase) {
  Phase p;
  p.first = (phase + axis.padding) % axis.stride;
  p.taps = (axis.kernel - p.first + axis.stride - 1) / axis.stride;
  p.before = p.taps - 1 - (phase + axis.padding) / axis.stride;
  p.after = axis.result / axis.stride - 1 + p.taps - axis.data - p.before;
  if (axis.kernel < axis.stride || axis.result % axis.stride != 0 || p.before < 0 || p.after < 0) return {};
  return p;
}

// Along one axis, a window that holds those of all phases.
Phase Union(const std::vector<Phase>& phases, const Axis& axis) {
  Phase all;
  int64_t behind = 0;
  for (const Phase& p : phases) {
    all.before = std::max(all.before, p.before);
    behind = std::max(behind, p.taps - 1 - p.before);
  }
  all.taps = all.before + 1 + behind;
  all.after = axis.result / axis.stride - 1 + all.taps - axis.data - all.before;
  return all;
}

// The taps of one phase each way, as (outputs, inputs, height, width), within those of `window_rows` and
// `window_columns`: at outputs from `first` on.
void PutTaps(const relay::Constant& weight, const Phase& rows, const Phase& columns, const Phase& window_rows,
             const Phase& window_columns, const std::vector<int64_t>& strides, int64_t first, Tensor& to) {
  const Shape& from = weight.value.shape();
  const float* source = weight.value.data<float>();
  for (int64_t o = 0; o < from[1]; ++o) {
    for (int64_t i = 0; i < from[0]; ++i) {
      for (int64_t y = 0; y < rows.taps; ++y) {
        for (int64_t x = 0; x < columns.taps; ++x) {
          const int64_t ky = rows.first + strides[0] * (rows.taps - 1 - y);
          const int64_t kx = columns.first + strides[1] * (columns.taps - 1 - x);
          const int64_t at_y = window_rows.before - rows.before + y, at_x = window_columns.before - columns.before + x;
          const int64_t at = (((first + o) * from[0] + i) * window_rows.taps + at_y) * window_columns.taps + at_x;
          to.data<float>()[at] = source[((i * from[1] + o) * from[2] + ky) * from[3] + kx];
        }
      }
    }
  }
}

ExprPtr ConvOf(const Call& call, Tensor taps, const Phase& rows, const Phase& columns) {
  const int64_t outputs = taps.shape()[0];
  return TypedCall("nn.conv2d",
                   {call.args[0], relay::MakeConstant(std::move(taps), relay::AsConstant(call.args[1])->name)},
                   {{"padding", std::vector<int64_t>{rows.before, columns.before, rows.after, columns.after}},
                    {"channels", outputs},
                    {"kernel_size", std::vector<int64_t>{rows.taps, columns.taps}},
                    {"keep_float32", call.attrs.GetBool("keep_float32")}},
                   call.name);
}

ExprPtr PhaseConv(const Call& call, const Phase& rows, const Phase& columns, const std::vector<int64_t>& strides) {
  const relay::Constant& weight = *relay::AsConstant(call.args[1]);
  Tensor taps(DType::kFloat32, {weight.value.shape()[1], weight.value.shape()[0], rows.taps, columns.taps});
  PutTaps(weight, rows, columns, rows, columns, strides, 0, taps);
  return ConvOf(call, std::move(taps), rows, columns);
}

// The phases of both axes, each way, and the axes' strides.
struct Phases {
  std::vector<Phase> rows, columns;
  std::vector<int64_t> strides;
};

// All phases as channels of one convolution, the places first; zeros where a window is larger than a phase's.
ExprPtr OneConv(const Call& call, const Phases& phases, const Phase& rows, const Phase& columns) {
  const relay::Constant& weight = *relay::AsConstant(call.args[1]);
  const int64_t outputs = weight.value.shape()[1];
  const auto count = static_cast<int64_t>(phases.rows.size() * phases.columns.size());
  Tensor taps(DType::kFloat32, {count * outputs, weight.value.shape()[0], rows.taps, columns.taps});
  std::fill_n(taps.data<float>(), taps.elements(), 0.0F);
  int64_t first = 0;
  for (const Phase& r : phases.rows) {
    for (const Phase& c : phases.columns) {
      PutTaps(weight, r, c, rows, columns, phases.strides, first, taps);
      first += outputs;
    }
  }
  return ConvOf(call, std::move(taps), rows, columns);
}

int64_t Taps(const std::vector<Phase>& phases) {
  return std::accumulate(phases.begin(), phases.end(), int64_t{0},
                         [](int64_t sum, const Phase& p) { return sum + p.taps; });
}

// Whether one convolution takes fewer vectors of weights: with few outputs its vectors hold those of several phases.
bool OneIsLess(const Phases& phases, const Phase& rows, const Phase& columns, int64_t outputs, int64_t lanes) {
  const auto count = static_cast<int64_t>(phases.rows.size() * phases.columns.size());
  const auto vectors = [lanes](int64_t channels) { return (channels + lanes - 1) / lanes; };
  return rows.after >= 0 && columns.after >= 0 &&
         rows.taps * columns.taps * vectors(count * outputs) <
             Taps(phases.rows) * Taps(phases.columns) * vectors(outputs);
}

// The places of an image, first in the channels, put where they belong.
ExprPtr Interleaved(ExprPtr all, const Shape& image, const std::vector<int64_t>& strides) {
  using Ints = std::vector<int64_t>;
  const int64_t rows = image[2] / strides[0], columns = image[3] / strides[1];
  all = TypedCall("reshape", {all}, {{"newshape", Ints{image[0], strides[0], strides[1], image[1], rows, columns}}});
  all = TypedCall("transpose", {all}, {{"axes", Ints{0, 3, 4, 1, 5, 2}}});
  return TypedCall("reshape", {all}, {{"newshape", Ints(image.begin(), image.end())}});
}

bool CanSplit(const Call& call) {
  const Shape& data = ShapeOf(call.args[0]);
  return AsFloat32Constant(call.args[1]) != nullptr && call.attrs.GetInt("groups", 1) == 1 &&
         call.attrs.GetInts("dilation", {1, 1}) == std::vector<int64_t>{1, 1} &&
         std::all_of(data.begin(), data.end(), [](int64_t dim) { return dim > 0; });
}

std::optional<std::vector<Phase>> PhasesOf(const Axis& axis) {
  std::vector<Phase> phases;
  for (int64_t i = 0; i < axis.stride; ++i) {
    const auto phase = PhaseOf(axis, i);
    if (!phase) return {};
    phases.push_back(*phase);
  }
  return phases;
}

ExprPtr Split(const ExprPtr& node, const Uses&, int64_t lanes) {
  const Call* call = relay::AsCallTo(node, "nn.conv2d_transpose");
  if (call == nullptr || !CanSplit(*call)) return nullptr;
  const std::vector<int64_t> strides = call->attrs.GetInts("strides", {1, 1});
  const std::vector<int64_t> padding = call->attrs.GetInts("padding", {0, 0, 0, 0});
  const Shape &data = ShapeOf(call->args[0]), &result = ShapeOf(node), &weight = ShapeOf(call->args[1]);
  const Axis height{data[2], result[2], weight[2], strides[0], padding[0]};
  const Axis width{data[3], result[3], weight[3], strides[1], padding[1]};
  const auto rows = PhasesOf(height), columns = PhasesOf(width);
  if (!rows || !columns) return nullptr;
  const Phases phases{*rows, *columns, strides};
  const Phase all_rows = Union(*rows, height), all_columns = Union(*columns, width);
  if (OneIsLess(phases, all_rows, all_columns, weight[1], lanes)) {
    return Interleaved(OneConv(*call, phases, all_rows, all_columns), result, strides);
  }
  std::vector<ExprPtr> convs;
  for (const Phase& r : *rows) {
    for (const Phase& c : *columns) convs.push_back(PhaseConv(*call, r, c, strides));
  }
  if (convs.size() == 1) return convs[0];
  return Interleaved(TypedCall("concatenate", {TypedTuple(std::move(convs))}, {{"axis", int64_t{1}}}), result, strides);
}

}  // namespace

relay::IRModule SplitTransposedConvs(const relay::IRModule& module, int lanes) {
  return RewriteByRules(module, {[lanes](const ExprPtr& node, const Uses& uses) { return Split(node, uses, lanes); }});
}

}  // namespace hone
