// Parameters and inputs of package jobs, kept by their hash, complete or partial.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/wire/blob_piece.h"

namespace hone {

// Above the cap, the least recently used blobs are dropped, but never the newest. A shared region lives as long as
// anything holds it. Not thread-safe.
class BlobCache {
 public:
  explicit BlobCache(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // The complete blob, sealed; null if it is not complete.
  std::shared_ptr<SharedRegion> Find(const std::string& sha256);
  // The number of leading bytes that have arrived.
  int64_t Come(const std::string& sha256) const;
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
    int64_t come = 0;
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
