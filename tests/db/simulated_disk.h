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

// The operations that SQLite asks of the disk; any may fail with one of SQLite's codes.
enum class DiskOperation : uint8_t { kOpen, kRead, kWrite, kTruncate, kSync };

// A file as it is now, and as it would be after a power cut.
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

// The default VFS of this process's SQLite during its lifetime: one disk at a time, for one connection at a time
// (nothing is locked). Files are known by their full names.
class SimulatedDisk {
 public:
  SimulatedDisk();
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  // Called before each operation with its number, counted from 1. Returns 0 to let it happen, else the code that it
  // fails with.
  void FailBy(std::function<int(DiskOperation operation, int64_t count)> fails) { fails_ = std::move(fails); }
  // Syncs report success and do nothing.
  void IgnoreSyncs() { ignores_syncs_ = true; }
  int64_t operations() const { return operations_; }

  // Leaves on the disk what a power cut would. Each file keeps its synced content and, of the changes since then, any
  // sectors of 512 bytes that `random` picks. Operations no longer fail.
  void CutPower(std::mt19937_64& random);

  // The VFS calls these.
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
