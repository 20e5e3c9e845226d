#include "rpc_runner/executor/memory/region_cache.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/hash/hash.h"

namespace hone {
namespace {

constexpr size_t kMostBlobs = 64;  // each holds a descriptor

}  // namespace

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

BlobCache::Entries::iterator BlobCache::Used(const std::string& sha256) {
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.sha256 == sha256; });
  if (entry == entries_.end()) return entry;
  entries_.splice(entries_.begin(), entries_, entry);
  return entries_.begin();
}

std::shared_ptr<SharedRegion> BlobCache::Find(const std::string& sha256) {
  const auto entry = Used(sha256);
  if (entry == entries_.end() || entry->received_bytes < entry->region->size_bytes()) return nullptr;
  return entry->region;
}

int64_t BlobCache::ReceivedBytes(const std::string& sha256) const {
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.sha256 == sha256; });
  return entry == entries_.end() ? 0 : entry->received_bytes;
}

void BlobCache::Forget(Entries::iterator entry) {
  bytes_ -= entry->region->size_bytes();
  entries_.erase(entry);
}

void BlobCache::ForgetPartial() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->received_bytes < entry->region->size_bytes()) Forget(entry);
    entry = next;
  }
}

void BlobCache::Begin(const std::string& sha256, int64_t size_bytes) {
  entries_.push_front({sha256, std::make_shared<SharedRegion>(size_bytes), 0});
  bytes_ += size_bytes;
  while (entries_.size() > 1 && (bytes_ > max_bytes_ || entries_.size() > kMostBlobs)) {
    Forget(std::prev(entries_.end()));
  }
}

void BlobCache::Take(const BlobPiece& piece, int64_t size_bytes) {
  auto entry = Used(piece.sha256);
  const int64_t received_bytes = entry == entries_.end() ? 0 : entry->received_bytes;
  if (entry != entries_.end() && entry->region->size_bytes() != size_bytes) {
    if (received_bytes == entry->region->size_bytes()) return;
    Forget(entry);
    entry = entries_.end();
  }
  if (piece.offset_bytes != (entry == entries_.end() ? 0 : received_bytes)) return;
  if (piece.bytes.empty() || static_cast<int64_t>(piece.bytes.size()) > size_bytes - piece.offset_bytes) {
    throw Error(ExitCode::kBadData, fmt::format("a piece of {} bytes at {} came of a blob of {}", piece.bytes.size(),
                                                piece.offset_bytes, size_bytes));
  }
  if (entry == entries_.end()) {
    Begin(piece.sha256, size_bytes);
    entry = entries_.begin();
  }
  SharedRegion& region = *entry->region;
  std::memcpy(region.data() + piece.offset_bytes, piece.bytes.data(), piece.bytes.size());
  entry->received_bytes += static_cast<int64_t>(piece.bytes.size());
  if (entry->received_bytes < size_bytes) return;
  const std::string actual = Sha256Hex(region.data(), static_cast<size_t>(size_bytes));
  region.Seal();
  if (actual == piece.sha256) return;
  Forget(entry);
  throw Error(ExitCode::kBadData, fmt::format("bytes named {} have the hash {}", piece.sha256, actual));
}

}  // namespace hone
