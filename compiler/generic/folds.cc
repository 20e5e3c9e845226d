#include "compiler/generic/folds.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "compiler/relay/op.h"

namespace hone {

bool IsFold(const relay::Call& call) {
  constexpr std::string_view kFolds[] = {
      "mean", "sum", "prod", "max", "min", "nn.global_avg_pool2d", "nn.global_max_pool2d"};
  return std::find(std::begin(kFolds), std::end(kFolds), relay::AsOp(call.op)->def->name) != std::end(kFolds);
}

std::vector<int64_t> ReducedAxes(const relay::Call& call, size_t rank) {
  std::vector<int64_t> axes = call.attrs.GetInts("axis");
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t& axis : axes) axis = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  std::sort(axes.begin(), axes.end());
  return axes;
}

}  // namespace hone
