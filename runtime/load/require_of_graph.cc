#include "runtime/load/require_of_graph.h"

#include <fmt/format.h>

#include "core/error.h"

namespace hone {
namespace {

std::string GraphPlaceText(const GraphPlace& place) {
  std::string text(place.what);
  if (!place.name.empty()) text += fmt::format(" '{}'", place.name);
  if (place.number >= 0) text += fmt::format(" {}", place.number);
  if (place.operand >= 0) text += fmt::format(": operand {}", place.operand);
  return text;
}

}  // namespace

void RefuseGraph(const std::string& name, const GraphPlace& place, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("{}: graph: {}: {}", name, GraphPlaceText(place), why));
}

}  // namespace hone
