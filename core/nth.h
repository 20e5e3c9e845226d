// Access to an item by a signed number. Sizes, axes and operand numbers are signed in hone, those of containers are
// not.
#pragma once

#include <cstddef>
#include <utility>

namespace hone {

// items[i], without a bounds check. `i` is from 0 to the number of items less one.
template <typename Items, typename Number>
constexpr decltype(auto) Nth(Items&& items, Number i) {
  return std::forward<Items>(items)[static_cast<size_t>(i)];
}

}  // namespace hone
