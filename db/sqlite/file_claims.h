// Claims of the tuners that share a store's file.
#pragma once

#include <string>
#include <string_view>

#include "db/claims.h"

namespace hone {

// Byte-range locks on an empty file beside the store, which all users who may write the store may write: nothing is
// written, and the system frees them when their process ends. Where there are no such locks, every claim is granted.
class FileClaims : public Claims {
 public:
  // The file is made with the first claim.
  // `store_path` is the store's own, behind all links, so that all who share it share its claims.
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
  bool opened_ = false;  // or tried
};

}  // namespace hone
