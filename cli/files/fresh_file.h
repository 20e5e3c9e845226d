// Files that are not finished, under names of their own.
#pragma once

#include <sys/types.h>

#include <string>

namespace hone {

// An empty file beside `path` and open to be written, as PATH.part-1a2b3c4d: of a name that nobody can guess, and never
// through a link of somebody else. It goes with the object, with SIGINT, SIGTERM, SIGHUP or
// SIGQUIT, and else, after SIGKILL or a power cut, with the next FreshFile of the same path. Used by one thread at a
// time; of more than 16 in a process at once the others are left behind by a signal.
class FreshFile {
 public:
  // `mode` is what the umask takes from. Throws Error(kCannotCreate).
  explicit FreshFile(const std::string& path, mode_t mode = 0666);
  ~FreshFile();
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&&) = delete;

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }
  // Gives the file the name `to`, replacing what has it. False with errno when it could not be. Nothing is removed
  // then.
  bool Rename(const std::string& to);

 private:
  std::string path_;  // empty: nothing to remove
  int fd_ = -1;
  int slot_ = -1;  // among those that a signal removes
};

// Removes what is not finished, for a handler that is about to end the process. Safe in signal handlers.
void RemoveFreshFiles();

}  // namespace hone
