#include "db/sqlite/store_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "db/sqlite/network_file_system.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/sqlite_connection.h"

namespace hone {
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
    throw Error(ExitCode::kBadData, fmt::format("'{}' is not a file, so not a store", path));
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
