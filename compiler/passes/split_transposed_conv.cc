#include "compiler/passes/split_transposed_conv.h"

#include <algorithm>
#include <optional>

#include "compiler/passes/typed_graph.h"

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

// The taps of one phase each way, as (outputs, inputs, height, width).
ExprPtr PhaseWeight(const relay::Constant& weight, const Phase& rows, const Phase& columns,
                    const std::vector<int64_t>& strides) {
  const Shape& from = weight.value.shape();
  Tensor taps(DType::kFloat32, {from[1], from[0], rows.taps, columns.taps});
  const float* source = weight.value.data<float>();
  float* to = taps.data<float>();
  for (int64_t o = 0; o < from[1]; ++o) {
    for (int64_t i = 0; i < from[0]; ++i) {
      for (int64_t y = 0; y < rows.taps; ++y) {
        for (int64_t x = 0; x < columns.taps; ++x) {
          const int64_t ky = rows.first + strides[0] * (rows.taps - 1 - y);
          const int64_t kx = columns.first + strides[1] * (columns.taps - 1 - x);
          *to++ = source[((i * from[1] + o) * from[2] + ky) * from[3] + kx];
        }
      }
    }
  }
  return relay::MakeConstant(taps, weight.name);
}

ExprPtr PhaseConv(const Call& call, const Phase& rows, const Phase& columns, const std::vector<int64_t>& strides) {
  const relay::Constant& weight = *relay::AsConstant(call.args[1]);
  return TypedCall("nn.conv2d", {call.args[0], PhaseWeight(weight, rows, columns, strides)},
                   {{"padding", std::vector<int64_t>{rows.before, columns.before, rows.after, columns.after}},
                    {"channels", weight.value.shape()[1]},
                    {"kernel_size", std::vector<int64_t>{rows.taps, columns.taps}}},
                   call.name);
}

// Phases by row, then by column, to the image that they are taken from.
ExprPtr Interleaved(std::vector<ExprPtr> phases, const Shape& image, const std::vector<int64_t>& strides) {
  using Ints = std::vector<int64_t>;
  const int64_t rows = image[2] / strides[0], columns = image[3] / strides[1];
  ExprPtr all = TypedCall("concatenate", {TypedTuple(std::move(phases))}, {{"axis", int64_t{1}}});
  all = TypedCall("reshape", {all}, {{"newshape", Ints{image[0], strides[0], strides[1], image[1], rows, columns}}});
  all = TypedCall("transpose", {all}, {{"axes", Ints{0, 3, 4, 1, 5, 2}}});
  return TypedCall("reshape", {all}, {{"newshape", Ints(image.begin(), image.end())}});
}

bool CanSplit(const Call& call) {
  const relay::Constant* weight = relay::AsConstant(call.args[1]);
  const Shape& data = ShapeOf(call.args[0]);
  return weight != nullptr && weight->value.dtype() == DType::kFloat32 && call.attrs.GetInt("groups", 1) == 1 &&
         call.attrs.GetInts("dilation", {1, 1}) == std::vector<int64_t>{1, 1} &&
         std::all_of(data.begin(), data.end(), [](int64_t dim) { return dim > 0; });
}

ExprPtr Split(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCallTo(node, "nn.conv2d_transpose");
  if (call == nullptr || !CanSplit(*call)) return nullptr;
  const std::vector<int64_t> strides = call->attrs.GetInts("strides", {1, 1});
  const std::vector<int64_t> padding = call->attrs.GetInts("padding", {0, 0, 0, 0});
  const Shape &data = ShapeOf(call->args[0]), &result = ShapeOf(node), &weight = ShapeOf(call->args[1]);
  const Axis height{data[2], result[2], weight[2], strides[0], padding[0]};
  const Axis width{data[3], result[3], weight[3], strides[1], padding[1]};
  std::vector<ExprPtr> phases;
  for (int64_t r = 0; r < strides[0]; ++r) {
    for (int64_t c = 0; c < strides[1]; ++c) {
      const auto rows = PhaseOf(height, r), columns = PhaseOf(width, c);
      if (!rows || !columns) return nullptr;
      phases.push_back(PhaseConv(*call, *rows, *columns, strides));
    }
  }
  return phases.size() == 1 ? phases[0] : Interleaved(std::move(phases), result, strides);
}

}  // namespace

relay::IRModule SplitTransposedConvs(const relay::IRModule& module) { return RewriteByRules(module, {Split}); }

}  // namespace hone
