// The operations that the store needs from an SQL database of any engine. An engine is a folder beside this file that
// makes connections; docs/reference/formats.md describes the tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "db/claims.h"
#include "db/engine_facts.h"

namespace hone {

// A string_view is for text that its owner keeps for as long as the row is used.
using SqlValue = std::variant<int64_t, std::string, std::string_view>;
using SqlRow = std::vector<SqlValue>;

// Others held a lock for the whole waiting time: 30 s, or none if waiting could deadlock.
class DatabaseBusy : public Error {
 public:
  explicit DatabaseBusy(const std::string& what) : Error(ExitCode::kIo, what) {}
};

// A statement of one engine. Parameters are written `?` and count from 1, columns from 0.
class SqlStatement {
 public:
  virtual ~SqlStatement() = default;
  virtual void Bind(int parameter, int64_t value) = 0;
  virtual void Bind(int parameter, std::string_view value) = 0;
  virtual bool Step() = 0;
  virtual int64_t Integer(int column) const = 0;
  virtual std::string Text(int column) const = 0;
  // Appends the column's text to `text`.
  virtual void AppendText(int column, std::string& text) const { text += Text(column); }
  virtual void Reset() = 0;
};

// A connection of one engine, used by one thread at a time and not carried across a fork. Failures throw Error:
// kBadData when the database is damaged or no store, kNotAuthorised when the operation is not permitted, kIo
// otherwise.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;
  virtual std::unique_ptr<SqlStatement> Prepare(std::string_view sql) = 0;
  // Runs statements without parameters; their rows are dropped.
  virtual void Execute(const std::string& sql) = 0;
  // Takes the write lock at once, so that rows become visible in the order of their `seq`.
  virtual void BeginWrite() = 0;
  // Durable when it returns.
  virtual void Commit() = 0;
  // Never throws: a transaction that cannot be rolled back is already gone.
  virtual void Rollback() = 0;
  // Runs the statement with each row as its parameters, inside the caller's transaction. Returns the number of rows
  // that it inserted, changed or removed.
  virtual int64_t ExecuteAll(std::string_view sql, const std::vector<SqlRow>& rows) = 0;
  // Releases the space of removed rows, as far as the engine can.
  virtual void Compact() = 0;
  virtual EngineFacts Facts() = 0;
  virtual bool read_only() const = 0;
  // The name that users give it: a path, or an address without a password.
  virtual const std::string& name() const = 0;
  // The connection must outlive the claims.
  virtual std::unique_ptr<Claims> MakeClaims() = 0;
};

// One connection. Not carried across a fork; used by one thread at a time.
class Database {
 public:
  explicit Database(std::unique_ptr<SqlConnection> connection) : connection_(std::move(connection)) {}

  // Runs statements without parameters; their rows are dropped.
  void Execute(const std::string& sql) { connection_->Execute(sql); }
  // The first column of the first row; 0 or "" when there is no row.
  int64_t Integer(std::string_view sql);
  std::string Text(std::string_view sql);
  // As SqlConnection::ExecuteAll.
  int64_t ExecuteAll(std::string_view sql, const std::vector<SqlRow>& rows) {
    return connection_->ExecuteAll(sql, rows);
  }
  void Compact() { connection_->Compact(); }
  EngineFacts Facts() { return connection_->Facts(); }
  bool read_only() const { return connection_->read_only(); }
  const std::string& name() const { return connection_->name(); }
  std::unique_ptr<Claims> MakeClaims() { return connection_->MakeClaims(); }

 private:
  friend class Statement;
  friend class Transaction;
  std::unique_ptr<SqlConnection> connection_;
};

// The rows that one run of a long query asks for, because a server returns all rows of a statement at once.
inline constexpr int kRowsAtOnce = 1000;

// A prepared statement; the database must outlive it. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql) : statement_(database.connection_->Prepare(sql)) {}
  void Bind(int parameter, int64_t value) { statement_->Bind(parameter, value); }
  void Bind(int parameter, std::string_view value) { statement_->Bind(parameter, value); }
  // Binds all parameters, from the first on.
  void Bind(const SqlRow& values);
  // Returns true when there is a row to read.
  bool Step() { return statement_->Step(); }
  int64_t Integer(int column) const { return statement_->Integer(column); }
  std::string Text(int column) const { return statement_->Text(column); }
  void AppendText(int column, std::string& text) const { statement_->AppendText(column, text); }
  // Makes the statement ready to run again; the bound values stay.
  void Reset() { statement_->Reset(); }

 private:
  std::unique_ptr<SqlStatement> statement_;
};

// Takes the write lock at once, so that a transaction never fails for lack of it after it has begun. Rolled back
// unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : connection_(*database.connection_) { connection_.BeginWrite(); }
  ~Transaction() {
    if (open_) connection_.Rollback();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  // Durable when it returns.
  void Commit() {
    connection_.Commit();
    open_ = false;
  }

 private:
  SqlConnection& connection_;
  bool open_ = true;
};

}  // namespace hone
