// Claims of the tuners that share a store's file.
#pragma once

#include <string>
#include <string_view>

#include "db/claims.h"

namespace hone {

// Byte-range locks on an empty file beside the store, which all users with write access to the store may write.
// Nothing is written, and the system frees the locks when their process ends. Without support for such locks every
// claim is granted.
class FileClaims : public Claims {
 public:
  // The file is made with the first claim. `store_path` is the store's own path with all links resolved, so that all
  // users of the store share its claims.
  explicit FileClaims(const std::string& store_path) : store_(store_path), path_(store_path + ".claims") {}
  ~FileClaims() override;
  FileClaims(const FileClaims&) = delete;
  FileClaims& operator=(const FileClaims&) = delete;

  bool Take(std::string_view what) override;
  void Release(std::string_view what) override;

 private:
  void Open();

  std::string store_, path_;
  int fd_ = -1;
  bool opened_ = false;  // or tried to open
};

}  // namespace hone
