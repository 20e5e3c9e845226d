#include "db/care/backup_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "db/care/fresh_file.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/sqlite/store_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// SQLite does not sync the file that VACUUM INTO writes.
void Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && fsync(fd) == 0;
  const std::string reason = std::generic_category().message(errno);
  if (fd >= 0) close(fd);
  if (!synced) throw Error(ExitCode::kIo, fmt::format("'{}' cannot be synced: {}", path, reason));
}

void WriteCopy(const std::string& path, const std::string& to) {
  Database database = OpenStoreFile(path, false);
  Statement statement(database, "VACUUM INTO ?");
  statement.Bind(1, to);
  statement.Step();
}

}  // namespace

int64_t BackupStore(const std::string& path, const std::string& to) {
  if (IsServerStore(path)) {
    throw Error(ExitCode::kUsage,
                fmt::format("'{}' is a store on a server: copy it with hone log sync, or with pg_dump", path));
  }
  if (fs::exists(to)) {
    throw Error(ExitCode::kCannotCreate, fmt::format("'{}' is there already; a backup needs a new name", to));
  }
  std::error_code error;
  const std::string partial = MakeFreshFile(to);
  try {
    WriteCopy(path, partial);
    Sync(partial);
    fs::rename(partial, to, error);
    if (error) throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be made: {}", to, error.message()));
    const fs::path folder = fs::absolute(to).parent_path();
    Sync(folder.string());
    return static_cast<int64_t>(fs::file_size(to));
  } catch (const Error&) {
    fs::remove(partial, error);
    throw;
  }
}

}  // namespace hone
