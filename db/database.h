// The thinnest wrapper of SQLite that owns its handles: its C interface is known in db/sqlite/ alone. Failures throw
// Error: kBadData when the file is damaged or no database, kIo otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hone {

// Others held a lock for as long as SQLite waits: 30 s, or not at all where waiting could be a deadlock.
class DatabaseBusy : public Error {
 public:
  explicit DatabaseBusy(const std::string& what) : Error(ExitCode::kIo, what) {}
};

// One connection. Not carried across a fork; used by one thread at a time.
class Database {
 public:
  // Opens the file, creating it when `create`; falls back to reading alone where the file cannot be written. Views and
  // triggers of the file are off, its schema is not trusted, a lock is awaited up to 30 s. Nothing is read or written
  // yet.
  Database(const std::string& path, bool create);
  static Database InMemory() { return {":memory:", true}; }

  // Runs statements without parameters; their rows are dropped.
  void Execute(const std::string& sql);
  // The first column of the first row; 0 or "" when there is no row.
  int64_t Integer(std::string_view sql);
  std::string Text(std::string_view sql);
  // Rows that the last statement inserted, changed or removed.
  int64_t Changes() const;
  bool read_only() const;
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  [[noreturn]] void Throw(int code) const;

  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

// A prepared statement; the database must outlive it. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  void Bind(int parameter, int64_t value);
  void Bind(int parameter, std::string_view value);
  // True when there is a row to read.
  bool Step();
  int64_t Integer(int column) const;
  std::string Text(int column) const;
  // Ready to run again; the bound values stay.
  void Reset();

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* handle) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
};

// Takes the write lock at once, so that a transaction that has begun never fails for want of it. Rolled back unless
// committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  // Durable when it returns.
  void Commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace hone
