#include "compiler/passes/transpose_axes.h"

#include "compiler/passes/typed_graph.h"

namespace hone {

std::vector<int64_t> TransposeAxes(const relay::Call& transpose) {
  std::vector<int64_t> axes = transpose.attrs.GetInts("axes");
  const auto rank = static_cast<int64_t>(ShapeOf(transpose.args[0]).size());
  for (int64_t d = rank; static_cast<int64_t>(axes.size()) < rank;) axes.push_back(--d);
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  return axes;
}

std::string TransposedFrom(const relay::Call& transpose, std::string_view result) {
  const std::vector<int64_t> axes = TransposeAxes(transpose);
  std::string argument(result.size(), ' ');
  for (size_t d = 0; d < result.size(); ++d) argument[static_cast<size_t>(axes[d])] = result[d];
  return argument;
}

}  // namespace hone
