#include "lab/bench/start_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hone {

StartOrder::StartOrder(size_t count) : order_(count) { std::iota(order_.begin(), order_.end(), size_t{0}); }

const std::vector<size_t>& StartOrder::Next() {
  if (std::exchange(reverse_, !reverse_)) {
    std::ranges::reverse(order_);
  } else {
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.Below(i)]);
  }
  return order_;
}

}  // namespace hone
