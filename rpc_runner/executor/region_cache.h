// Inputs, reference outputs and expected outputs, kept between jobs.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "rpc_runner/executor/shared_region.h"

namespace hone {

// Regions by name; the least recently used go when the cap is passed. Whoever holds a region keeps it alive.
class RegionCache {
 public:
  explicit RegionCache(int64_t max_bytes, size_t max_regions = 384)
      : max_bytes_(max_bytes), max_regions_(max_regions) {}
  // As much as this machine can well spare: an eighth of its memory, at most 3 GiB, and half of the descriptors that
  // the process may have. A network's 25 tasks with their layouts take about 1.5 GiB in 900 regions; what is dropped
  // costs a run of the reference or a packing.
  static RegionCache ForThisMachine();

  // Null when there is none of that name.
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
