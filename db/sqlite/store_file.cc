#include "db/sqlite/store_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/sqlite_connection.h"

namespace hone {
namespace {

struct Network {
  uint32_t type;
  const char* name;
};
// From statfs(2) and the kernel's linux/magic.h. The last four are documented only by their projects.
constexpr Network kNetworks[] = {
    {0x6969, "NFS"},       {0x517B, "SMB"},        {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB"},   {0x5346414F, "AFS"},    {0x73757245, "Coda"},
    {0x564C, "NCP"},       {0x00C36400, "Ceph"},   {0x01021997, "9P"},
    {0x7461636F, "OCFS2"}, {0x01161970, "GFS2"},   {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},  {0x19830326, "BeeGFS"}, {0x786F4256, "VirtualBox's shared folders"}};

// The nearest ancestor of the path that exists.
std::string Existing(const std::string& path) {
  std::error_code ignored;
  std::filesystem::path at = std::filesystem::absolute(path, ignored);
  while (!std::filesystem::exists(at, ignored) && at.has_relative_path()) at = at.parent_path();
  return at.string();
}

}  // namespace

int64_t StatfsType(const std::string& path) {
  struct statfs told{};
  return statfs(path.c_str(), &told) == 0 ? static_cast<uint32_t>(told.f_type) : 0;
}

const char* NetworkFileSystemName(int64_t type) {
  for (const Network& network : kNetworks) {
    if (type == network.type) return network.name;
  }
  return nullptr;
}

void RefuseNetworkFileSystem(const std::string& path, const FileSystemType& type_of) {
  const char* name = NetworkFileSystemName(type_of(Existing(path)));
  const char* forced = std::getenv("HONE_NETWORK_STORE");
  if (name == nullptr || (forced != nullptr && std::string_view(forced) == "1")) return;
  throw Error(
      ExitCode::kBadConfig,
      fmt::format("store '{}' is on a network file system ({}), where locks do not hold and records get lost; use "
                  "a local disk or --db postgresql://..., or set HONE_NETWORK_STORE=1 where one host alone writes",
                  path, name));
}

JournalMode JournalModeFor(int sqlite_version) {
  constexpr int kWithdrawn = 3'052'000;
  const bool mended = (sqlite_version >= 3'051'003 && sqlite_version != kWithdrawn) ||
                      (sqlite_version >= 3'050'007 && sqlite_version < 3'051'000) ||
                      (sqlite_version >= 3'044'006 && sqlite_version < 3'045'000);
  return mended ? JournalMode::kWal : JournalMode::kPersist;
}

JournalMode LinkedJournalMode() { return JournalModeFor(sqlite3_libversion_number()); }

std::string LinkedSqliteVersion() { return sqlite3_libversion(); }

namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::milliseconds kPause(10);
// The size to which a journal is truncated: more than most transactions need, without filling a disk after a large
// one.
constexpr int kMostJournalBytes = 4 << 20;

void PrepareFolder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("the folder of store '{}' cannot be made: {}", path, error.message()));
  }
}

[[noreturn]] void RefuseUnreadable(const std::string& path) {
  throw Error(ExitCode::kNotAuthorised,
              fmt::format("store '{}' may not be read, or a folder on its way not entered", path));
}

// SQLite makes files of mode 0644 at most. With this mode a group that shares a store can write to it if the umask
// allows. SQLite gives the journal and its other files the store's mode. Errors are ignored here because SQLite meets
// and reports them too.
void MakeFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0) close(fd);
}

// Returns true if the file existed.
bool CheckPath(const std::string& path, bool create) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error == std::errc::permission_denied) RefuseUnreadable(path);
  if (std::filesystem::is_regular_file(status)) {
    if (faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES) RefuseUnreadable(path);
    return true;
  }
  if (std::filesystem::exists(status))
    throw Error(ExitCode::kBadData,
                fmt::format("'{}' is {}; a store is a file, or postgresql://USER@HOST/DATABASE", path,
                            std::filesystem::is_directory(status) ? "a folder" : "a device or a pipe"));
  if (!create)
    throw Error(ExitCode::kNoInput,
                fmt::format("there is no store '{}'; hone tune or hone log import makes one", path));
  PrepareFolder(path);
  MakeFile(path);
  return false;
}

Database Connect(const std::string& path, bool create, bool existed) {
  try {
    return OpenSqlite(path, create);
  } catch (const Error& error) {
    throw Error(existed ? ExitCode::kIo : ExitCode::kCannotCreate, error.what());
  }
}

[[noreturn]] void RefuseStoreFile(const Database& database, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("'{}' {}", database.name(), why));
}

// The version of the schema; 0 for an empty database.
int64_t VersionOf(Database& database) {
  const int64_t application = database.Integer("PRAGMA application_id");
  const int64_t version = database.Integer("PRAGMA user_version");
  if (application == 0 && version == 0 && database.Integer("SELECT count(*) FROM sqlite_schema") == 0) return 0;
  if (application != kStoreApplicationId)
    RefuseStoreFile(database, "is a database of another program, not a hone store");
  if (version > kSchemaVersion) {
    RefuseStoreFile(database,
                    fmt::format("is a store of version {}; this hone reads up to {}", version, kSchemaVersion));
  }
  if (version < 1) RefuseStoreFile(database, "is a store without a version: it is damaged");
  return version;
}

// VersionOf in one transaction, because another process may make the store between its reads.
int64_t VersionAtOneMoment(Database& database) {
  database.Execute("BEGIN");
  const int64_t version = VersionOf(database);
  database.Execute("COMMIT");
  return version;
}

void Upgrade(Database& database) {
  Transaction transaction(database);
  // Another process may have upgraded it in the meantime.
  const int64_t version = VersionOf(database);
  if (version < kSchemaVersion) UpgradeSchema(database, version);
  transaction.Commit();
}

void SetJournal(Database& database, JournalMode mode) {
  const std::string wanted = mode == JournalMode::kWal ? "wal" : "persist";
  const std::string got = database.Text("PRAGMA journal_mode = " + wanted);
  if (got != wanted) {
    throw Error(ExitCode::kIo, fmt::format("store '{}' keeps its {} journal where {} is needed; close other programs "
                                           "that have it open",
                                           database.name(), got, wanted));
  }
  database.Execute(fmt::format("PRAGMA journal_size_limit = {}", kMostJournalBytes));
}

Database OpenOnce(const std::string& path, bool create, bool existed, JournalMode mode) {
  Database database = Connect(path, create, existed);
  database.Execute(
      "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");
  const int64_t version = VersionAtOneMoment(database);
  if (version == 0 && !create) RefuseStoreFile(database, "is empty, so not a hone store");
  if (version < kSchemaVersion && database.read_only())
    RefuseStoreFile(database, "is a store to be upgraded, but can only be read");
  if (!database.read_only()) SetJournal(database, mode);
  database.Execute("PRAGMA synchronous = FULL");
  if (version < kSchemaVersion) Upgrade(database);
  if (SchemaTexts(database) != ExpectedSchemaTexts()) RefuseStoreFile(database, "has tables that hone did not make");
  return database;
}

}  // namespace

Database OpenStoreFile(const std::string& path, bool create, JournalMode mode) {
  RefuseNetworkFileSystem(path);
  const bool existed = CheckPath(path, create);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    try {
      return OpenOnce(path, create, existed, mode);
    } catch (const DatabaseBusy&) {
      // SQLite does not wait if waiting could deadlock, as when two processes switch the journal.
      if (std::chrono::steady_clock::now() >= end) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace hone
