// Who measures what just now: claims of the processes that share a store.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Claims are byte-range locks on an empty file beside the store (docs/formats.md): nothing is written, and the system
// frees them when their process ends, however it ends. Where there are no such locks, every claim is granted. Used by
// one thread at a time.
class Claims {
 public:
  // The file is made with the first claim.
  explicit Claims(const std::string& store_path) : path_(store_path + ".claims") {}
  // Releases all.
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  // False while another object, of this process or another, holds it. What this one holds it may take again.
  bool Take(std::string_view what);
  // What is not held is passed over.
  void Release(std::string_view what);

 private:
  void Open();

  std::string path_;
  int fd_ = -1;
  bool opened_ = false;  // or tried
};

}  // namespace hone
