// Shared memory that is kept between jobs. Above a cache's cap, the least recently used regions are dropped, but never
// the newest. A region lives as long as anything holds it. The caches are not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

// Inputs, reference outputs and expected outputs by name.
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

// Parameters and inputs of package jobs by their hash, complete or partial.
class BlobCache {
 public:
  explicit BlobCache(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // The complete blob, sealed; null if it is not complete.
  std::shared_ptr<SharedRegion> Find(const std::string& sha256);
  // The number of leading bytes that have arrived.
  int64_t ReceivedBytes(const std::string& sha256) const;
  // Adds a piece of a blob of size_bytes. A piece that does not begin where the last one ended is ignored. A blob that
  // had another size before begins anew. Throws Error(kBadData) and forgets the blob if the piece reaches past its end,
  // or if the complete blob has another hash. Throws std::bad_alloc.
  void Take(const BlobPiece& piece, int64_t size_bytes);
  // Forgets incomplete blobs: their bytes were never checked against their hash.
  void ForgetPartial();
  // The full sizes of all blobs, complete or not.
  int64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string sha256;
    std::shared_ptr<SharedRegion> region;
    int64_t received_bytes = 0;
  };
  using Entries = std::list<Entry>;

  Entries::iterator Used(const std::string& sha256);
  void Begin(const std::string& sha256, int64_t size_bytes);
  void Forget(Entries::iterator entry);

  const int64_t max_bytes_;
  int64_t bytes_ = 0;
  Entries entries_;  // most recently used first; a few dozen at most
};

}  // namespace hone
