// How what reads a package's graph refuses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hone {

// A place in a graph. Its text is made where it is told: writing one takes longer than what is checked there.
struct GraphPlace {
  std::string_view what;       // "arena"; "call", of which `number` says which; "buffer", of which `name` does
  int64_t number = -1;         // -1: none
  int64_t operand = -1;        // of a call; -1: none
  std::string_view name = {};  // empty: none
};

// Throws Error(kBadData), "NAME: graph: PLACE: WHY".
[[noreturn]] void RefuseGraph(const std::string& name, const GraphPlace& place, std::string_view why);

// Refuses the graph unless it holds. `why` is a text or a function that makes one, which is called only then.
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
