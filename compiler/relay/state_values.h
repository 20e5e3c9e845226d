// Values that are kept from one run to the next: a result of @main that is the same parameter of the next run. A state
// with a ranged axis grows along it from no position on; its parameter's dim is its capacity. Any other state begins
// with zeros.
//
//    run    parameter (past)    result (present)
//     1     . . . . . . . .     k k k . . . . .       3 positions
//     2     k k k . . . . .     k k k k . . . .       4 positions, of at most 8
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The attribute of @main: two integers for each state, its parameter and its result.
inline constexpr std::string_view kStates = "states";

struct StateValue {
  int64_t input = 0;    // number of the parameter
  int64_t output = 0;   // number of the result
  int64_t axis = -1;    // along which it grows; -1: its shape is fixed
  int64_t extent = -1;  // number of the parameter with the positions before a run; -1 without an axis
  int64_t count = -1;   // number of the result with the positions after it; -1 without an axis
};

// The attribute's value, of the members `input` and `output`.
std::vector<int64_t> StateNumbers(const std::vector<StateValue>& states);
// The states of a typed @main with so many results, of the types `results`. Throws Error(kBadData) if the attribute
// does not fit, naming the parameter: another type, no count for what grows, or a run that may outgrow the parameter.
std::vector<StateValue> StateValues(const Function& main, const std::vector<TypePtr>& results);
// The numbers of the results that are states; empty without the attribute.
std::vector<int64_t> StateResults(const Function& main);
// A typed module with the same results except the states, which are parameters and no more; without states the module
// itself.
IRModule WithoutStateResults(const IRModule& module);

}  // namespace hone::relay
