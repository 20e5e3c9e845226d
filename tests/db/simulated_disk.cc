#include "tests/db/simulated_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace hone {
namespace {

constexpr size_t kSector = 512;

SimulatedDisk* disk = nullptr;
sqlite3_vfs* usual = nullptr;

// SQLite's view of an open file; SQLite owns the memory.
struct OpenFile {
  sqlite3_file base;
  std::shared_ptr<SimulatedFile>* file;
};

SimulatedFile& FileOf(sqlite3_file* file) { return **reinterpret_cast<OpenFile*>(file)->file; }

void Apply(std::string& bytes, const SimulatedFile::Change& change) {
  if (change.truncates) {
    bytes.resize(std::min(bytes.size(), static_cast<size_t>(change.at)));
    return;
  }
  const auto at = static_cast<size_t>(change.at);
  if (bytes.size() < at + change.bytes.size()) bytes.resize(at + change.bytes.size());
  std::copy(change.bytes.begin(), change.bytes.end(), bytes.begin() + change.at);
}

int Close(sqlite3_file* file) {
  delete reinterpret_cast<OpenFile*>(file)->file;
  return SQLITE_OK;
}

int Read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  if (const int code = disk->Ask(DiskOperation::kRead)) return code;
  const std::string& now = FileOf(file).now;
  const auto begin = std::min(static_cast<size_t>(at), now.size());
  const size_t there = std::min(static_cast<size_t>(size), now.size() - begin);
  std::memcpy(to, now.data() + begin, there);
  std::memset(static_cast<char*>(to) + there, 0, static_cast<size_t>(size) - there);
  return there < static_cast<size_t>(size) ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

int Change(sqlite3_file* file, SimulatedFile::Change change) {
  Apply(FileOf(file).now, change);
  FileOf(file).pending.push_back(std::move(change));
  return SQLITE_OK;
}

int Write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  if (const int code = disk->Ask(DiskOperation::kWrite)) return code;
  return Change(file, {false, at, std::string(static_cast<const char*>(from), static_cast<size_t>(size))});
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = disk->Ask(DiskOperation::kTruncate)) return code;
  return Change(file, {true, size, ""});
}

int Sync(sqlite3_file* file, int /*flags*/) {
  if (const int code = disk->Ask(DiskOperation::kSync)) return code;
  if (disk->ignores_syncs()) return SQLITE_OK;
  SimulatedFile& synced = FileOf(file);
  synced.synced = synced.now;
  synced.created = true;
  synced.pending.clear();
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(FileOf(file).now.size());
  return SQLITE_OK;
}

int Lock(sqlite3_file* /*file*/, int /*level*/) { return SQLITE_OK; }
int CheckReservedLock(sqlite3_file* /*file*/, int* held) {
  *held = 0;
  return SQLITE_OK;
}
int FileControl(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) { return SQLITE_NOTFOUND; }
int SectorSize(sqlite3_file* /*file*/) { return static_cast<int>(kSector); }
int DeviceCharacteristics(sqlite3_file* /*file*/) { return 0; }

constexpr sqlite3_io_methods kMethods = {1,
                                         Close,
                                         Read,
                                         Write,
                                         Truncate,
                                         Sync,
                                         FileSize,
                                         Lock,
                                         Lock,
                                         CheckReservedLock,
                                         FileControl,
                                         SectorSize,
                                         DeviceCharacteristics,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr};

int OpenVfs(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (const int code = disk->Ask(DiskOperation::kOpen)) return code;
  if (name != nullptr && !disk->Has(name) && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  auto opened = name == nullptr ? std::make_shared<SimulatedFile>() : disk->Open(name);
  reinterpret_cast<OpenFile*>(file)->file = new std::shared_ptr<SimulatedFile>(std::move(opened));
  file->pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int DeleteVfs(sqlite3_vfs* /*vfs*/, const char* name, int /*sync*/) {
  disk->Delete(name);
  return SQLITE_OK;
}

int AccessVfs(sqlite3_vfs* /*vfs*/, const char* name, int /*flags*/, int* there) {
  *there = disk->Has(name) ? 1 : 0;
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs* /*vfs*/, const char* name, int size, char* full) {
  sqlite3_snprintf(size, full, "%s", name);
  return SQLITE_OK;
}

sqlite3_vfs vfs;

}  // namespace

SimulatedDisk::SimulatedDisk() {
  disk = this;
  usual = sqlite3_vfs_find(nullptr);
  vfs = *usual;
  vfs.iVersion = 1;
  vfs.zName = "simulated";
  vfs.szOsFile = sizeof(OpenFile);
  vfs.pNext = nullptr;
  vfs.xOpen = OpenVfs;
  vfs.xDelete = DeleteVfs;
  vfs.xAccess = AccessVfs;
  vfs.xFullPathname = FullPathname;
  sqlite3_vfs_register(&vfs, 1);
}

SimulatedDisk::~SimulatedDisk() {
  sqlite3_vfs_unregister(&vfs);
  sqlite3_vfs_register(usual, 1);
  disk = nullptr;
}

int SimulatedDisk::Ask(DiskOperation operation) {
  ++operations_;
  return fails_ ? fails_(operation, operations_) : SQLITE_OK;
}

std::shared_ptr<SimulatedFile> SimulatedDisk::Open(const std::string& name) {
  std::shared_ptr<SimulatedFile>& file = files_[name];
  if (!file) file = std::make_shared<SimulatedFile>();
  return file;
}

void SimulatedDisk::CutPower(std::mt19937_64& random) {
  fails_ = nullptr;
  ignores_syncs_ = false;
  std::map<std::string, std::shared_ptr<SimulatedFile>> left;
  for (const auto& [name, file] : files_) {
    if (!file->created && random() % 2 == 0) continue;
    std::string bytes = file->synced;
    for (const SimulatedFile::Change& change : file->pending) {
      if (change.truncates) {
        if (random() % 2 == 0) Apply(bytes, change);
        continue;
      }
      // The whole change, none of it, or some of its sectors.
      const uint64_t how = random() % 3;
      for (size_t at = 0; at < change.bytes.size() && how != 1; at += kSector) {
        if (how == 0 || random() % 2 == 0) {
          Apply(bytes, {false, change.at + static_cast<int64_t>(at), change.bytes.substr(at, kSector)});
        }
      }
    }
    left[name] = std::make_shared<SimulatedFile>(SimulatedFile{bytes, bytes, true, {}});
  }
  files_ = std::move(left);
}

}  // namespace hone
