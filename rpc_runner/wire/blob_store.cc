#include "rpc_runner/wire/blob_store.h"

namespace hone {

const std::string* BlobStore::Find(const std::string& sha256) {
  for (auto it = blobs_.begin(); it != blobs_.end(); ++it) {
    if (it->first != sha256) continue;
    blobs_.splice(blobs_.begin(), blobs_, it);
    return &blobs_.front().second;
  }
  return nullptr;
}

void BlobStore::Insert(const std::string& sha256, std::string bytes) {
  if (Find(sha256) != nullptr) return;
  bytes_ += bytes.size();
  blobs_.emplace_front(sha256, std::move(bytes));
  while (blobs_.size() > 1 && bytes_ > max_bytes_) {
    bytes_ -= blobs_.back().second.size();
    blobs_.pop_back();
  }
}

}  // namespace hone
