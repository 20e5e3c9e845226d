// A libpq connection that reconnects after a loss.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

struct pg_conn;
struct pg_result;

namespace hone {

struct ResultFree {
  void operator()(pg_result* result) const;
};
using ServerResult = std::unique_ptr<pg_result, ResultFree>;

// Sends commands and turns refusals of the server into Errors. kIo: connection lost, out of space, or a lock not
// granted in 30 s. kNotAuthorised: authentication or privileges. kNoInput: no such database. kBadData: the server's
// files are damaged. The command after a loss connects again, unless a transaction was open: that one fails first.
// Used by one thread at a time.
class ServerLink {
 public:
  // Connects within 10 s. CheckPostgresAddress must have accepted the address.
  explicit ServerLink(std::string address);
  ~ServerLink();
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;

  // Statements without parameters.
  void Execute(const std::string& sql);
  // A statement with parameters `?`, prepared once for each connection.
  ServerResult Run(std::string_view sql, const SqlRow& parameters);
  // Runs the statement for each row: an INSERT of all at once, else a pipeline that does not wait for single answers.
  // Returns the number of rows that it touched.
  int64_t RunAll(std::string_view sql, const std::vector<SqlRow>& rows);

  void Begin();
  void Commit();
  void Rollback();

  // Waits for a notification of a channel that is listened to. False when none came within the time. A lost connection
  // throws Error(kIo); channels must then be listened to again.
  bool AwaitNotice(int64_t milliseconds);

  const std::string& address() const { return address_; }
  // The version as libpq encodes it, such as 150018.
  int server_version() const;
  // Whether the connection is open, as far as is known.
  bool connected() const;
  // `then` is called with each new connection except the first, before the command that needed it.
  void OnReconnect(std::function<void()> then) { on_reconnect_ = std::move(then); }

 private:
  void Connect();
  void Prepare();
  void NeedConnection();
  const std::string& Prepared(std::string_view sql);
  // Runs InsertOfArrays' statement.
  int64_t RunArrays(const std::string& sql, const std::vector<SqlRow>& rows);
  ServerResult Checked(pg_result* result);
  // Reads the answers to a pipeline up to its end. Throws the error of the first failed one.
  int64_t ReadAnswers();
  [[noreturn]] void Throw(const pg_result* result) const;
  [[noreturn]] void ThrowUnreachable() const;

  struct Closer {
    void operator()(pg_conn* connection) const;
  };
  std::string address_;
  std::unique_ptr<pg_conn, Closer> connection_;
  std::map<std::string, std::string, std::less<>> prepared_;  // names by SQL
  std::function<void()> on_reconnect_;
  bool in_transaction_ = false;
};

}  // namespace hone
