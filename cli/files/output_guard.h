// Keeps outputs from replacing what the command reads, and record stores.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace hone {

// The files that a process reads, and those that it is to write. A file is known by its inode, so that a link or
// another spelling is the same file. Thread-safe.
class OutputGuard {
 public:
  enum class Use { kFile, kModel };

  // The process's own. Inputs are noted where they are named (Option::Reads) or opened (InputFile).
  static OutputGuard& Own();

  // Notes the file that is at `path` now, and what SQLite keeps beside it where it is a store. What is not there and
  // what is no regular file is passed over. A file keeps the first use that it was noted with.
  void AddInput(const std::string& path, Use use = Use::kFile);
  // Outputs may replace models from now on.
  void LetReplaceModels();

  // An output that an option names. Throws as Check does, and Error(kCannotCreate) when another option named the same
  // file.
  void AddOutput(const std::string& path);
  // Throws Error(kCannotCreate) when writing `path` would replace an input, a record store, or a file beside a store.
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
  std::map<std::string, std::string> outputs_;  // as it is named, by canonical path or inode
  bool replaces_models_ = false;
};

}  // namespace hone
