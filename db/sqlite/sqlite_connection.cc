#include "db/sqlite/sqlite_connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "db/sqlite/file_claims.h"
#include "db/sqlite/store_file.h"

namespace hone {
namespace {

// A shorter wait would fail while other writers are merely slow. Waiting writers have no order: the next to ask gets
// the lock.
constexpr std::chrono::seconds kMostBusy(30);
// SQLite's own handler asks at growing intervals of up to 100 ms, although a commit takes 10 ms.
constexpr std::chrono::microseconds kBusyPause(200);
constexpr int kMaxValueBytes = 32 << 20;

std::string WayOut(const std::string& path) {
  return fmt::format("what is left of it makes a new store: hone log recover {} -o NEW.db", ShellWord(path));
}

struct Finalizer {
  void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, Finalizer>;

// Prepared statements that are not in use. Preparing takes a twentieth of a lookup, and the next lookup is the same.
class IdleStatements {
 public:
  // Null if there is none with this text.
  StatementHandle Take(std::string_view sql) {
    for (StatementHandle& idle : idle_) {
      if (idle && sql == sqlite3_sql(idle.get())) return std::move(idle);
    }
    return nullptr;
  }
  // Resets the statement and keeps it in the place of an older one.
  void Give(StatementHandle handle) {
    sqlite3_reset(handle.get());
    sqlite3_clear_bindings(handle.get());
    idle_.at(next_++ % idle_.size()) = std::move(handle);
  }

 private:
  std::array<StatementHandle, 16> idle_;
  size_t next_ = 0;
};

class SqliteConnection;

class SqliteStatement : public SqlStatement {
 public:
  SqliteStatement(SqliteConnection& connection, std::string_view sql);
  ~SqliteStatement() override;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  void Bind(int parameter, int64_t value) override;
  void Bind(int parameter, std::string_view value) override { Bind(parameter, value, SQLITE_TRANSIENT); }
  // Binds without a copy: `value` must stay valid until the next Bind of this parameter or the statement's end.
  void BindKept(int parameter, std::string_view value) { Bind(parameter, value, SQLITE_STATIC); }
  void BindKept(int parameter, int64_t value) { Bind(parameter, value); }
  bool Step() override;
  int64_t Integer(int column) const override { return sqlite3_column_int64(handle_.get(), column); }
  std::string Text(int column) const override;
  void AppendText(int column, std::string& text) const override;
  void Reset() override { sqlite3_reset(handle_.get()); }

 private:
  void Bind(int parameter, std::string_view value, sqlite3_destructor_type owner);

  SqliteConnection& connection_;
  StatementHandle handle_;
};

class SqliteConnection : public SqlConnection {
 public:
  SqliteConnection(const std::string& path, bool create);

  std::unique_ptr<SqlStatement> Prepare(std::string_view sql) override {
    return std::make_unique<SqliteStatement>(*this, sql);
  }
  void Execute(const std::string& sql) override {
    const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) Throw(code);
  }
  void BeginWrite() override { Execute("BEGIN IMMEDIATE"); }
  void Commit() override { Execute("COMMIT"); }
  void Rollback() override {
    // After a full disk or a lost file SQLite has rolled back by itself, and nothing remains to be done.
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  int64_t ExecuteAll(std::string_view sql, const std::vector<SqlRow>& rows) override;
  void Compact() override { Execute("VACUUM"); }
  EngineFacts Facts() override;
  bool read_only() const override { return sqlite3_db_readonly(handle_.get(), "main") == 1; }
  const std::string& name() const override { return path_; }
  std::unique_ptr<Claims> MakeClaims() override { return std::make_unique<FileClaims>(ResolvedPath()); }

  [[noreturn]] void Throw(int code) const;
  // The path as SQLite names its own files: absolute, with all links resolved.
  std::string ResolvedPath() const {
    const char* resolved = sqlite3_db_filename(handle_.get(), "main");
    return resolved != nullptr && *resolved != '\0' ? resolved : path_;
  }
  StatementHandle PrepareOrTake(std::string_view sql);
  void Give(StatementHandle handle) { idle_.Give(std::move(handle)); }

 private:
  int64_t Integer(std::string_view sql);

  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  // Whether the connection `self` should ask for the lock again; `asked` is the number of earlier attempts.
  static int WaitForOthers(void* self, int asked);

  std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;
  IdleStatements idle_;  // destroyed before the handle
  std::chrono::steady_clock::time_point busy_since_;
};

int SqliteConnection::WaitForOthers(void* self, int asked) {
  auto& since = static_cast<SqliteConnection*>(self)->busy_since_;
  const auto now = std::chrono::steady_clock::now();
  if (asked == 0) since = now;
  if (now - since > kMostBusy) return 0;
  std::this_thread::sleep_for(kBusyPause);
  return 1;
}

void SqliteConnection::Throw(int code) const {
  const std::string reason = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      throw Error(ExitCode::kBadData, fmt::format("'{}' is damaged ({}); {}", path_, reason, WayOut(path_)));
    case SQLITE_NOTADB:
      throw Error(ExitCode::kBadData, fmt::format("'{}' is not a hone store, or its beginning is damaged ({}); {}",
                                                  path_, reason, WayOut(path_)));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw DatabaseBusy(fmt::format("store '{}' was locked by other writers for 30 s", path_));
    case SQLITE_FULL:
      throw Error(ExitCode::kIo, fmt::format("store '{}' cannot grow: the disk is full", path_));
    case SQLITE_READONLY:
      throw Error(ExitCode::kNotAuthorised,
                  fmt::format("store '{}' can only be read; writing needs permission for it and its folder", path_));
    default:
      throw Error(ExitCode::kIo, fmt::format("store '{}': {}", path_, reason));
  }
}

SqliteConnection::SqliteConnection(const std::string& path, bool create) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) Throw(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, &SqliteConnection::WaitForOthers, this);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
}

int64_t SqliteConnection::ExecuteAll(std::string_view sql, const std::vector<SqlRow>& rows) {
  int64_t fresh = 0;
  SqliteStatement statement(*this, sql);
  for (const SqlRow& row : rows) {
    int parameter = 0;
    for (const SqlValue& value : row) {
      std::visit([&](const auto& held) { statement.BindKept(++parameter, held); }, value);
    }
    statement.Step();
    fresh += sqlite3_changes64(handle_.get());
    statement.Reset();
  }
  return fresh;
}

int64_t SqliteConnection::Integer(std::string_view sql) {
  SqliteStatement statement(*this, sql);
  return statement.Step() ? statement.Integer(0) : 0;
}

EngineFacts SqliteConnection::Facts() {
  EngineFacts facts;
  facts.name = "SQLite";
  facts.version = LinkedSqliteVersion();
  SqliteStatement journal(*this, "PRAGMA journal_mode");
  if (journal.Step()) facts.journal = journal.Text(0);
  facts.schema_version = static_cast<int>(Integer("PRAGMA user_version"));
  facts.size_bytes = Integer("PRAGMA page_count") * Integer("PRAGMA page_size");
  return facts;
}

StatementHandle SqliteConnection::PrepareOrTake(std::string_view sql) {
  if (StatementHandle idle = idle_.Take(sql)) return idle;
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  StatementHandle handle(prepared);
  if (code != SQLITE_OK) Throw(code);
  return handle;
}

SqliteStatement::SqliteStatement(SqliteConnection& connection, std::string_view sql)
    : connection_(connection), handle_(connection.PrepareOrTake(sql)) {}

SqliteStatement::~SqliteStatement() { connection_.Give(std::move(handle_)); }

void SqliteStatement::Bind(int parameter, int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), parameter, value);
  if (code != SQLITE_OK) connection_.Throw(code);
}

void SqliteStatement::Bind(int parameter, std::string_view value, sqlite3_destructor_type owner) {
  // An empty view's null pointer would bind NULL.
  const char* data = value.empty() ? "" : value.data();
  const int code = sqlite3_bind_text64(handle_.get(), parameter, data, value.size(), owner, SQLITE_UTF8);
  if (code != SQLITE_OK) connection_.Throw(code);
}

bool SqliteStatement::Step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_.Throw(code);
  return code == SQLITE_ROW;
}

std::string SqliteStatement::Text(int column) const {
  std::string text;
  AppendText(column, text);
  return text;
}

void SqliteStatement::AppendText(int column, std::string& text) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  if (bytes != nullptr) text.append(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

}  // namespace

Database OpenSqlite(const std::string& path, bool create) {
  return Database(std::make_unique<SqliteConnection>(path, create));
}

Database SqliteInMemory() { return OpenSqlite(":memory:", true); }

}  // namespace hone
