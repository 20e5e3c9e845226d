// Parameters and inputs of package jobs, kept by their hash, whole or as far as they have come.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "rpc_runner/executor/shared_region.h"
#include "rpc_runner/wire/blob_piece.h"

namespace hone {

// The least recently used go when the cap is passed, never the newest. Whoever holds a region keeps it alive. Not
// thread-safe.
class BlobCache {
 public:
  explicit BlobCache(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // The whole blob, sealed; null when it has not all come.
  std::shared_ptr<SharedRegion> Find(const std::string& sha256);
  // How many of its first bytes have come.
  int64_t Come(const std::string& sha256) const;
  // Takes a piece of a blob of size_bytes. One that does not begin where the last one ended is passed over, and a blob
  // that was said to have another size begins anew. Throws Error(kBadData) when the piece reaches past the end, or
  // when the blob is whole and has another hash, and forgets the blob; std::bad_alloc.
  void Take(const BlobPiece& piece, int64_t size_bytes);
  // Forgets the blobs that have not all come: their bytes were never held against their hash.
  void ForgetPartial();
  // Of the blobs, as large as they will be.
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
