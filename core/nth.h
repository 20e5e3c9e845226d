// An item by a signed number, as sizes, axes and operand numbers are signed here and the containers' are not.
#pragma once

#include <cstddef>
#include <utility>

namespace hone {

// items[i], unchecked like it: i is from 0 to the number of items.
template <typename Items, typename Number>
constexpr decltype(auto) Nth(Items&& items, Number i) {
  return std::forward<Items>(items)[static_cast<size_t>(i)];
}

}  // namespace hone
