#include "compiler/passes/graph/window_attrs.h"

namespace hone {

std::array<int64_t, 4> Padding4(const relay::Attrs& attrs) {
  const std::vector<int64_t> given = attrs.GetInts("padding");
  if (given.empty()) return {0, 0, 0, 0};
  if (given.size() == 1) return {given[0], given[0], given[0], given[0]};
  if (given.size() == 2) return {given[0], given[1], given[0], given[1]};
  return {given.at(0), given.at(1), given.at(2), given.at(3)};
}

std::array<int64_t, 2> Pair(const relay::Attrs& attrs, std::string_view name) {
  const std::vector<int64_t> given = attrs.GetInts(name);
  if (given.empty()) return {1, 1};
  return {given[0], given.size() == 1 ? given[0] : given[1]};
}

}  // namespace hone
