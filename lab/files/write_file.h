// Writes whole files or nothing, and never over what the command reads.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// Takes bytes in order. Throws Error if they cannot be stored.
using ByteSink = std::function<void(std::string_view bytes)>;

// Writes all its output to a stream, which throws what the sink behind it throws.
using StreamWriter = std::function<void(std::ostream& out)>;

// A stream buffer in front of a sink. It holds at most one piece.
class PipedOutput : public std::streambuf {
 public:
  explicit PipedOutput(const ByteSink& sink);

 private:
  int_type overflow(int_type next) override;
  int sync() override;

  const ByteSink& sink_;
  std::array<char, size_t{1} << 16> piece_;
};

// Lets `write` write everything into `sink`. Throws what either throws.
void WriteThrough(const ByteSink& sink, const StreamWriter& write);

// Keeps outputs from replacing the command's inputs and record stores: it knows the files that a process reads and
// those that it will write. Files are compared by inode, so links and other spellings are the same file. Thread-safe.
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
  // Throws Error(kCannotCreate) if writing `path` would replace an input, a record store, a file beside a store, or a
  // secret key.
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

// Writes a temporary file beside `path`, fsyncs and renames it, so no partly written file is left. A link is kept and
// its target is written. A device or a pipe is written into. Throws Error(kIo) if the disk is full. Throws
// Error(kCannotCreate) for a missing folder, a lack of permission, a folder or a block device. Also for the command's
// own standard output, and for files that OutputGuard protects: inputs and record stores.
void WriteFileAtomically(const std::string& path, const std::string& bytes);
// Writes contents that need not fit into memory. Also throws what `write` throws; nothing is left then either.
void WriteFileAtomically(const std::string& path, const StreamWriter& write);

// Makes a folder and those that it lies in; one that is there is kept. Throws Error(kCannotCreate).
void MakeFolder(const std::string& folder);

// Writes pairs of name and bytes into a folder, which is made if it is missing: all files or none. Throws as above.
void WriteFilesAtomically(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace hone
