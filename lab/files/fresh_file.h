// Unfinished files, under names of their own.
#pragma once

#include <sys/types.h>

#include <string>

namespace hone {

// An empty file beside `path`, open for writing and named PATH.part-1a2b3c4d. The name cannot be guessed, and no link
// of another user is followed. The object's destructor removes it, and so do SIGINT, SIGTERM, SIGHUP and SIGQUIT. After
// SIGKILL or a power cut the next FreshFile of the same path removes it. Not thread-safe. Signals remove at most 16
// files of a process and leave others behind.
class FreshFile {
 public:
  // `mode` is subject to the umask. Throws Error(kCannotCreate).
  explicit FreshFile(const std::string& path, mode_t mode = 0666);
  ~FreshFile();
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&&) = delete;

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }
  // Renames the file to `to`, replacing a file of that name; the destructor then removes nothing. Returns false and
  // sets errno on failure.
  bool Rename(const std::string& to);

 private:
  std::string path_;  // empty: nothing to remove
  int fd_ = -1;
  int slot_ = -1;  // index among the paths that a signal removes
};

// Removes the unfinished files, for a handler that is about to end the process. Async-signal-safe.
void RemoveFreshFiles();

}  // namespace hone
