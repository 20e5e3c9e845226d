#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>

#include "core/error.h"
#include "core/files/fresh_name.h"
#include "db/care/leaf_pages.h"
#include "db/care/store_care.h"
#include "db/database.h"
#include "db/foreign/foreign_lines.h"
#include "db/open_database.h"
#include "db/record_log.h"
#include "db/record_store.h"
#include "db/sqlite/sqlite_connection.h"
#include "db/sqlite/store_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Makes an empty file beside `path`, with permissions as the umask says, and returns its path. The path is a
// FreshName, so it cannot be another user's file or link.
std::string MakeFreshFile(const std::string& path) {
  const std::string fresh = FreshName(path);
  const int fd = open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) {
    const std::string why = std::generic_category().message(errno);
    throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be made: {}", path, why));
  }
  close(fd);
  return fresh;
}

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

namespace {

constexpr size_t kSalvageBatch = 256;
constexpr const char* kSuffixes[] = {"", "-wal", "-journal"};  // files that SQLite may have beside a database

void RemoveAll(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-journal", "-shm", ".claims"}) fs::remove(path + suffix, ignored);
}

// A store's file, empty at first, that is removed with the object.
class TemporaryStore {
 public:
  explicit TemporaryStore(const std::string& beside) : path_(MakeFreshFile(beside)) {}
  ~TemporaryStore() { RemoveAll(path_); }
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Salvage {
 public:
  explicit Salvage(RecordStore& store) : store_(store) {}

  void TakeRecord(const std::string& json) {
    if (json.rfind("{\"id\":", 0) != 0) return;
    try {
      records_.push_back(RecordFromJson(ParseJson(json, "a record")));
    } catch (const Error&) {
      return;  // it is no valid record: its id is not its content's
    }
    if (records_.size() == kSalvageBatch) Flush();
  }

  void TakeForeign(const std::string& id, const std::string& source, const std::string& line) {
    try {
      ForeignTrial trial = ForeignLines(source).Read(line);
      if (trial.id == id) trials_.push_back(std::move(trial));
    } catch (const Error&) {
      return;
    }
    if (trials_.size() == kSalvageBatch) Flush();
  }

  void TakeRun(const TuningRun& run) {
    if (store_.GetRun(run.id)) return;
    store_.PutRun(run);
    ++recovered_.runs;
  }

  Recovered Done() {
    Flush();
    return recovered_;
  }

 private:
  void Flush() {
    recovered_.records += store_.Append(records_);
    recovered_.foreign += store_.AppendForeign(trials_);
    records_.clear();
    trials_.clear();
  }

  RecordStore& store_;
  Recovered recovered_;
  std::vector<Record> records_;
  std::vector<ForeignTrial> trials_;
};

// Calls `row` for each row up to the first that cannot be read.
void ForEachRow(Database& database, const std::string& sql, const std::function<void(const Statement&)>& row) {
  try {
    Statement statement(database, sql);
    while (statement.Step()) row(statement);
  } catch (const Error&) {
    return;  // later rows come from the other end, or from the pages
  }
}

void ReadByTree(const std::string& path, Salvage& salvage) {
  Database database = OpenSqlite(path, false);
  for (const char* order : {"", " DESC"}) {
    ForEachRow(database, fmt::format("SELECT json FROM records ORDER BY seq{}", order),
               [&](const Statement& row) { salvage.TakeRecord(row.Text(0)); });
    ForEachRow(database, fmt::format("SELECT id, source, line FROM foreign_trials ORDER BY seq{}", order),
               [&](const Statement& row) { salvage.TakeForeign(row.Text(0), row.Text(1), row.Text(2)); });
    ForEachRow(database, fmt::format("SELECT id, state, json FROM runs ORDER BY rowid{}", order),
               [&](const Statement& row) { salvage.TakeRun({row.Text(0), row.Text(1), row.Text(2)}); });
  }
}

// A record's JSON is one of its row's texts; a foreign trial begins with its id and ends with its line.
void ReadByPages(const std::string& path, Salvage& salvage) {
  ForEachLeafRow(path, [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) salvage.TakeRecord(text);
    if (texts.size() > 3) salvage.TakeForeign(texts[0], texts[2], texts.back());
  });
}

void Copy(const std::string& from, const std::string& to) {
  for (const char* suffix : kSuffixes) {
    if (!fs::exists(from + suffix)) continue;
    std::error_code error;
    fs::copy_file(from + suffix, to + suffix, fs::copy_options::overwrite_existing, error);
    if (error) throw Error(ExitCode::kIo, fmt::format("'{}' cannot be copied: {}", from + suffix, error.message()));
  }
}

}  // namespace

Recovered RecoverStore(const std::string& from, const std::string& to) {
  if (IsServerStore(from)) {
    throw Error(ExitCode::kUsage,
                fmt::format("'{}' is a store on a server: restore it from pg_dump's copy or a standby", from));
  }
  if (!fs::is_regular_file(from)) throw Error(ExitCode::kNoInput, fmt::format("there is no store '{}'", from));
  if (fs::exists(to)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("'{}' is there already; the recovered store needs a new name", to));
  }
  const TemporaryStore made(to), copy(to);
  Recovered recovered;
  {
    const std::unique_ptr<RecordStore> store = RecordStore::Open(made.path());
    Copy(from, copy.path());
    Salvage salvage(*store);
    ReadByTree(copy.path(), salvage);
    ReadByPages(copy.path(), salvage);
    recovered = salvage.Done();
  }
  std::error_code error;
  fs::rename(made.path(), to, error);
  if (error) throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be made: {}", to, error.message()));
  return recovered;
}

namespace {

// Small enough that other writers get their turn, large enough that a distant server is not asked too often.
constexpr int64_t kWindow = 512;

SyncedRows Bring(const RecordStore& from, RecordStore& to) {
  SyncedRows brought;
  const int64_t end = from.Arrived();
  for (int64_t after = 0; after < end; after += kWindow) {
    const int64_t until = std::min(after + kWindow, end);
    const std::vector<std::string> ids = from.Ids(after, until);
    if (to.CountKnown(ids) == static_cast<int64_t>(ids.size())) continue;
    RecordQuery query;
    query.after = after;
    query.until = until;
    brought.records += to.Append(from.Find(query));
  }
  brought.foreign = to.AppendForeign(from.FindForeign(""));
  return brought;
}

}  // namespace

SyncCounts SyncStores(RecordStore& a, RecordStore& b) {
  SyncCounts counts;
  counts.to_b = Bring(a, b);
  counts.to_a = Bring(b, a);
  return counts;
}

}  // namespace hone
