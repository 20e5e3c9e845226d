#include "rpc_runner/executor/memory/region_cache.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace hone {

RegionCache RegionCache::ForThisMachine() {
  const int64_t memory_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  rlimit descriptors{768, 768};
  (void)getrlimit(RLIMIT_NOFILE, &descriptors);
  const auto regions = static_cast<size_t>(std::min<rlim_t>(descriptors.rlim_cur / 2, 4096));
  return RegionCache(std::clamp(memory_bytes / 8, int64_t{64} << 20, int64_t{3} << 30), regions);
}

std::shared_ptr<SharedRegion> RegionCache::Find(const std::string& name) {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return nullptr;
  order_.splice(order_.begin(), order_, it->second);
  return it->second->second;
}

void RegionCache::Insert(const std::string& name, std::shared_ptr<SharedRegion> region) {
  if (const auto it = by_name_.find(name); it != by_name_.end()) {
    bytes_ -= it->second->second->file_bytes();
    order_.erase(it->second);
    by_name_.erase(it);
  }
  bytes_ += region->file_bytes();
  order_.emplace_front(name, std::move(region));
  by_name_[name] = order_.begin();
  while (order_.size() > 1 && (bytes_ > max_bytes_ || order_.size() > max_regions_)) {
    bytes_ -= order_.back().second->file_bytes();
    by_name_.erase(order_.back().first);
    order_.pop_back();
  }
}

}  // namespace hone
