// Refuses a package's graph, with the place where it is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hone {

// A place in a graph. Its text is made only for an error, because formatting takes longer than the check.
struct GraphPlace {
  std::string_view what;       // "arena"; "call" with its `number`; or "buffer" with its `name`
  int64_t number = -1;         // -1: none
  int64_t operand = -1;        // of a call; -1: none
  std::string_view name = {};  // empty: none
};

// Throws Error(kBadData), "NAME: graph: PLACE: WHY".
[[noreturn]] void RefuseGraph(const std::string& name, const GraphPlace& place, std::string_view why);

// Refuses the graph unless `holds`. `why` is a text, or a function that makes one and is called only then.
template <typename Why>
void RequireOfGraph(bool holds, const std::string& name, const GraphPlace& place, const Why& why) {
  if (holds) return;
  if constexpr (std::is_invocable_v<const Why&>) {
    RefuseGraph(name, place, why());
  } else {
    RefuseGraph(name, place, why);
  }
}

}  // namespace hone
