// Bytes by their hash, so that a reference is sent once.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <utility>

namespace hone {

// Keeps the most recently used blobs up to a cap, and always the newest. Not thread-safe.
class BlobStore {
 public:
  explicit BlobStore(size_t max_bytes = size_t{64} << 20) : max_bytes_(max_bytes) {}
  // Null if there is no such blob. Valid until the next Insert.
  const std::string* Find(const std::string& sha256);
  // The caller must have checked that the bytes have that hash.
  void Insert(const std::string& sha256, std::string bytes);

 private:
  const size_t max_bytes_;
  size_t bytes_ = 0;
  std::list<std::pair<std::string, std::string>> blobs_;  // most recently used first; a few dozen at most
};

}  // namespace hone
