// Unfinished files, under names of their own.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "lab/files/write_file.h"
#include "runtime/package.h"

namespace hone {

// An empty file beside `path`, open for writing and named PATH.part-1a2b3c4d, or with an ending behind that, as
// PATH.part-1a2b3c4d.onnx for programs that go by it. The name cannot be guessed, and no link
// of another user is followed. The object's destructor removes it, and so do SIGINT, SIGTERM, SIGHUP and SIGQUIT. After
// SIGKILL or a power cut the next FreshFile of the same path removes it. Not thread-safe. Signals remove at most 16
// files of a process and leave others behind.
class FreshFile {
 public:
  // `mode` is subject to the umask. `ending` is empty or begins with a dot. Throws Error(kCannotCreate).
  explicit FreshFile(const std::string& path, mode_t mode = 0666, const std::string& ending = "");
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

// A file that is written completely before it gets its name.
// Lies on the disk beside `path` as a FreshFile. The destructor removes it unless it was committed.
class StagedFile {
 public:
  // Throws Error: kCannotCreate if the file cannot be made; kIo if it cannot be written completely.
  StagedFile(const std::string& path, const std::string& bytes);
  // Holds the output of `write`, written piece by piece. Also throws what `write` throws.
  StagedFile(const std::string& path, const StreamWriter& write);

  // Gives the file its name, replacing another one. Throws Error(kCannotCreate).
  void Commit();

 private:
  std::string path_;
  FreshFile file_;
};

// Throws an Error saying that `path` cannot be written, with errno's reason.
[[noreturn]] void CannotWrite(const std::string& path, bool created);

// A package in a temporary file. Writes the bytes to a file in TemporaryFolder() and opens it, for any target
// (Package::Inspect). The destructor removes the file. Throws Error: kCannotCreate, kIo.
class TemporaryPackage {
 public:
  explicit TemporaryPackage(const std::string& bytes);
  const Package* operator->() const { return package_.get(); }
  const std::string& path() const { return file_.path(); }

 private:
  FreshFile file_;
  std::shared_ptr<const Package> package_;
};

}  // namespace hone
