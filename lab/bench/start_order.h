// The order in which processes that take turns begin.
#pragma once

#include <cstddef>
#include <vector>

#include "core/random.h"

namespace hone {

// A process gets the memory that the last one gave back, and where its memory lies makes it faster or slower. In a
// fixed order each would get its own place again, and the same runtime would be the slower one in every round. So the
// order is one of chance, and every second one is the reverse of that before it.
class StartOrder {
 public:
  explicit StartOrder(size_t count);
  // Numbers from 0 on, valid until the next call.
  const std::vector<size_t>& Next();

 private:
  std::vector<size_t> order_;
  bool reverse_ = false;
  Random random_{1};
};

}  // namespace hone
