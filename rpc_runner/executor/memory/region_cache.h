// Inputs, reference outputs and expected outputs, kept between jobs.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "rpc_runner/executor/memory/shared_region.h"

namespace hone {

// Regions by name. Above the cap, the least recently used ones are dropped. A region lives as long as anything holds
// it.
class RegionCache {
 public:
  explicit RegionCache(int64_t max_bytes, size_t max_regions = 384)
      : max_bytes_(max_bytes), max_regions_(max_regions) {}
  // A cache of a size that this machine can spare: an eighth of its memory, at most 3 GiB, and half of the allowed
  // descriptors. A network's 25 tasks with their layouts take about 1.5 GiB in 900 regions. A dropped region costs
  // another run of the reference or another packing.
  static RegionCache ForThisMachine();

  // Null if there is no region of that name.
  std::shared_ptr<SharedRegion> Find(const std::string& name);
  void Insert(const std::string& name, std::shared_ptr<SharedRegion> region);
  int64_t bytes() const { return bytes_; }

 private:
  using Order = std::list<std::pair<std::string, std::shared_ptr<SharedRegion>>>;
  const int64_t max_bytes_;
  const size_t max_regions_;  // each holds a file descriptor
  int64_t bytes_ = 0;
  Order order_;  // most recently used first
  std::unordered_map<std::string, Order::iterator> by_name_;
};

}  // namespace hone
