// Keeps outputs from replacing the command's inputs and record stores.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace hone {

// The files that a process reads and those that it will write. Files are compared by inode, so links and other
// spellings are the same file. Thread-safe.
class OutputGuard {
 public:
  enum class Use { kFile, kModel };

  // The guard of this process. Inputs are noted when an option names them or when they are opened
  // (InputFile).
  static OutputGuard& Own();

  // Notes the file at `path`, and the files that SQLite keeps beside a store. Missing files and other than regular ones
  // are ignored. A file keeps the use with which it was first noted.
  void AddInput(const std::string& path, Use use = Use::kFile);
  // Allows outputs to replace models from this call on.
  void LetReplaceModels();

  // Notes an output that an option names. Throws as Check does, and Error(kCannotCreate) if another option named the
  // same file.
  void AddOutput(const std::string& path);
  // Throws Error(kCannotCreate) if writing `path` would replace an input, a record store, or a file beside a store.
  void Check(const std::string& path) const;

 private:
  using Inode = std::pair<dev_t, ino_t>;
  struct Input {
    std::string path;
    Use use;
  };
  void AddOne(const std::string& path, const std::string& named, Use use);
  void CheckLocked(const std::string& path) const;

  mutable std::mutex mutex_;
  std::map<Inode, Input> inputs_;
  std::map<std::string, std::string> outputs_;  // name as given, by canonical path or inode
  bool replaces_models_ = false;
};

}  // namespace hone
