#include <fmt/format.h>
#include <sqlite3.h>

#include "core/error.h"
#include "core/shell_word.h"
#include "db/database.h"

namespace hone {
namespace {

// Fewer than this would fail while other writers are merely slow: the busy handler of SQLite is not fair.
constexpr int kBusyTimeoutMs = 30'000;
constexpr int kMaxValueBytes = 32 << 20;

std::string WayOut(const std::string& path) {
  return fmt::format("what is left of it makes a new store: hone log recover {} -o NEW.db", ShellWord(path));
}

}  // namespace

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Statement::Finalizer::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

void Database::Throw(int code) const {
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

Database::Database(const std::string& path, bool create) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) Throw(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
}

void Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) Throw(code);
}

int64_t Database::Integer(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.Step() ? statement.Integer(0) : 0;
}

std::string Database::Text(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.Step() ? statement.Text(0) : "";
}

int64_t Database::Changes() const { return sqlite3_changes64(handle_.get()); }

bool Database::read_only() const { return sqlite3_db_readonly(handle_.get(), "main") == 1; }

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) database.Throw(code);
}

void Statement::Bind(int parameter, int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), parameter, value);
  if (code != SQLITE_OK) database_.Throw(code);
}

void Statement::Bind(int parameter, std::string_view value) {
  // An empty view's null pointer would bind NULL.
  const char* data = value.empty() ? "" : value.data();
  const int code = sqlite3_bind_text64(handle_.get(), parameter, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.Throw(code);
}

bool Statement::Step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.Throw(code);
  return code == SQLITE_ROW;
}

int64_t Statement::Integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::string Statement::Text(int column) const {
  const void* text = sqlite3_column_blob(handle_.get(), column);
  const int bytes = sqlite3_column_bytes(handle_.get(), column);
  return text == nullptr ? "" : std::string(static_cast<const char*>(text), static_cast<size_t>(bytes));
}

void Statement::Reset() { sqlite3_reset(handle_.get()); }

Transaction::Transaction(Database& database) : database_(database) { database.Execute("BEGIN IMMEDIATE"); }

void Transaction::Commit() {
  database_.Execute("COMMIT");
  open_ = false;
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.Execute("ROLLBACK");
  } catch (const Error&) {
    // A full disk or a lost file rolls back by itself, and then there is nothing left to do.
  }
}

}  // namespace hone
