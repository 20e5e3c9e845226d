// A disk in memory under SQLite, whose power can be cut and whose operations can fail.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace hone {

// What was asked of the disk: an operation may fail with a code of SQLite's.
enum class DiskOperation : uint8_t { kOpen, kRead, kWrite, kTruncate, kSync };

// A file as it is, and as it would be after a power cut.
struct SimulatedFile {
  struct Change {
    bool truncates = false;
    int64_t at = 0;  // offset, or the new size
    std::string bytes;
  };
  std::string now, synced;
  bool created = false;         // whether a sync has made it last
  std::vector<Change> pending;  // since the last sync
};

// The default VFS of this process's SQLite while it lives: one at a time, for one connection at a time (nothing is
// locked). Files by their full names.
class SimulatedDisk {
 public:
  SimulatedDisk();
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  // Asked before each operation, which are counted from 1: 0 to let it happen, else the code that it fails with.
  void FailBy(std::function<int(DiskOperation operation, int64_t count)> fails) { fails_ = std::move(fails); }
  // Says that syncs succeed and does nothing.
  void IgnoreSyncs() { ignores_syncs_ = true; }
  int64_t operations() const { return operations_; }

  // What the disk holds when its power comes back: of each file what was synced, and of the changes since then any
  // sectors of 512 bytes, as `random` will have it. Nothing fails any more.
  void CutPower(std::mt19937_64& random);

  // For the VFS.
  int Ask(DiskOperation operation);
  bool Has(const std::string& name) const { return files_.contains(name); }
  std::shared_ptr<SimulatedFile> Open(const std::string& name);
  void Delete(const std::string& name) { files_.erase(name); }
  bool ignores_syncs() const { return ignores_syncs_; }

 private:
  std::map<std::string, std::shared_ptr<SimulatedFile>> files_;
  std::function<int(DiskOperation, int64_t)> fails_;
  int64_t operations_ = 0;
  bool ignores_syncs_ = false;
};

}  // namespace hone
