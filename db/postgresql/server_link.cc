#include "db/postgresql/server_link.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "db/database.h"
#include "db/postgresql/server_values.h"

namespace hone {

namespace {

std::string FirstLine(const std::string& words) { return words.substr(0, words.find('\n')); }

ExitCode CodeOf(const std::string& state) {
  if (state == "3D000") return ExitCode::kNoInput;                            // no such database
  if (state == "42501" || state == "25006") return ExitCode::kNotAuthorised;  // no privilege, a standby
  if (state.starts_with("28")) return ExitCode::kNotAuthorised;               // authentication
  if (state == "XX001" || state == "XX002") return ExitCode::kBadData;        // damaged pages, damaged index
  if (state.starts_with("42")) return ExitCode::kBadData;                     // tables were changed
  if (state.starts_with("22")) return ExitCode::kBug;                         // values that the server does not take
  return ExitCode::kIo;
}

// Throws the Error for an SQLSTATE (PostgreSQL manual, appendix A; "" if the connection was lost) with the first line
// of the server's words. `store` is the name that users give it.
[[noreturn]] void ThrowRefusal(const std::string& store, const std::string& state, const std::string& words) {
  if (state == "55P03") throw DatabaseBusy(fmt::format("store '{}' was locked by other writers for 30 s", store));
  if (state.empty()) {
    throw Error(ExitCode::kIo, fmt::format("the server of store '{}' was lost: {}", store, FirstLine(words)));
  }
  std::string more;
  if (state == "3D000") more = "; createdb makes it";
  if (state == "28P01") more = "; the password comes from ~/.pgpass or PGPASSWORD";
  throw Error(CodeOf(state), fmt::format("store '{}': {}{}", store, FirstLine(words), more));
}

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kConnectPatience(10);
// Answers to this many rows fit into a socket's buffer, so the server never waits for hone to read while hone sends.
constexpr size_t kPipelined = 128;
// Limit of rows in one INSERT: some megabytes of records at most.
constexpr size_t kInArrays = 1024;

// Replaces each `?` by $1, $2, ...
std::string Numbered(std::string_view sql) {
  std::string numbered;
  int parameter = 0;
  for (const char c : sql) {
    if (c == '?') {
      numbered += fmt::format("${}", ++parameter);
    } else {
      numbered += c;
    }
  }
  return numbered;
}

void DropNotice(void* /*argument*/, const char* /*message*/) {}

// Waits until the socket is ready for libpq's next step. Returns false when the time is over.
bool AwaitSocket(PGconn* connection, PostgresPollingStatusType wants, Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  pollfd ready{PQsocket(connection), static_cast<short>(wants == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
  return left > 0 && poll(&ready, 1, static_cast<int>(left)) != 0;
}

// The SQLSTATE in a verbose message, "FATAL:  28P01: password ...", and the words behind it.
std::pair<std::string, std::string> StateAndWords(const std::string& message) {
  const size_t at = message.find("FATAL:  ");
  if (at == std::string::npos || message.size() < at + 15 || message[at + 13] != ':') return {"", message};
  return {message.substr(at + 8, 5), message.substr(at + 15)};
}

}  // namespace

void ResultFree::operator()(pg_result* result) const { PQclear(result); }
void ServerLink::Closer::operator()(pg_conn* connection) const { PQfinish(connection); }

ServerLink::ServerLink(std::string address) : address_(std::move(address)) { Connect(); }
ServerLink::~ServerLink() = default;

bool ServerLink::connected() const { return connection_ && PQstatus(connection_.get()) == CONNECTION_OK; }
int ServerLink::server_version() const { return PQserverVersion(connection_.get()); }

void ServerLink::ThrowUnreachable() const {
  const auto [state, words] = StateAndWords(PQerrorMessage(connection_.get()));
  if (!state.empty()) ThrowRefusal(address_, state, words);
  if (PQconnectionNeedsPassword(connection_.get()) != 0) {
    throw Error(
        ExitCode::kNotAuthorised,
        fmt::format("the server of store '{}' asks for a password; put it into ~/.pgpass or PGPASSWORD", address_));
  }
  std::string why = Printable(words);
  while (!why.empty() && why.back() == ' ') why.pop_back();
  throw Error(ExitCode::kIo, fmt::format("the server of store '{}' does not answer: {}", address_,
                                         why.empty() ? "10 s are over" : why));
}

void ServerLink::Connect() {
  prepared_.clear();
  in_transaction_ = false;
  // Keywords before the address are defaults, which the address overrides.
  const char* const keywords[] = {
      "fallback_application_name", "keepalives_idle", "keepalives_interval", "keepalives_count",
      "tcp_user_timeout",          "dbname",          "client_encoding",     nullptr};
  const char* const values[] = {"hone", "10", "5", "3", "30000", address_.c_str(), "UTF8", nullptr};
  connection_.reset(PQconnectStartParams(keywords, values, 1));
  PGconn* connection = connection_.get();
  if (connection == nullptr) throw Error(ExitCode::kIo, "there is no memory for a connection to the store");
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  PQsetNoticeProcessor(connection, DropNotice, nullptr);
  const auto end = Clock::now() + kConnectPatience;
  PostgresPollingStatusType wants = PGRES_POLLING_WRITING;
  if (PQstatus(connection) == CONNECTION_BAD) ThrowUnreachable();
  while (wants != PGRES_POLLING_OK) {
    if (!AwaitSocket(connection, wants, end)) ThrowUnreachable();
    wants = PQconnectPoll(connection);
    if (wants == PGRES_POLLING_FAILED) ThrowUnreachable();
  }
  Prepare();
}

// A commit must be durable whatever the server's default is, and tables are hone's whatever the role's search path is.
void ServerLink::Prepare() {
  Checked(PQexec(connection_.get(),
                 "SET search_path = hone; SET lock_timeout = '30s'; SET standard_conforming_strings = on; "
                 "SELECT set_config('synchronous_commit', 'on', false) "
                 "WHERE current_setting('synchronous_commit') = 'off'"));
}

void ServerLink::NeedConnection() {
  if (connected()) return;
  if (std::exchange(in_transaction_, false)) ThrowRefusal(address_, "", "the connection is gone");
  Connect();
  if (on_reconnect_) on_reconnect_();
}

void ServerLink::Throw(const pg_result* result) const {
  const char* state = result != nullptr ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* words = result != nullptr ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  ThrowRefusal(address_, state != nullptr && connected() ? state : "",
               words != nullptr ? words : PQerrorMessage(connection_.get()));
}

ServerResult ServerLink::Checked(pg_result* result) {
  ServerResult owned(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) Throw(result);
  return owned;
}

void ServerLink::Execute(const std::string& sql) {
  NeedConnection();
  Checked(PQexec(connection_.get(), sql.c_str()));
}

const std::string& ServerLink::Prepared(std::string_view sql) {
  const auto known = prepared_.find(sql);
  if (known != prepared_.end()) return known->second;
  const std::string name = fmt::format("s{}", prepared_.size());
  Checked(PQprepare(connection_.get(), name.c_str(), Numbered(sql).c_str(), 0, nullptr));
  return prepared_.emplace(sql, name).first->second;
}

ServerResult ServerLink::Run(std::string_view sql, const SqlRow& parameters) {
  NeedConnection();
  const std::string& name = Prepared(sql);
  const ParameterTexts texts(parameters);
  return Checked(PQexecPrepared(connection_.get(), name.c_str(), texts.count(), texts.values(), nullptr, nullptr, 0));
}

int64_t ServerLink::ReadAnswers() {
  int64_t touched = 0;
  ServerResult failed;
  for (;;) {
    ServerResult result(PQgetResult(connection_.get()));
    if (!result) {
      // A null result ends one answer. If the server is still connected, the end of the pipeline follows the last
      // answer.
      if (!connected()) break;
      continue;
    }
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_PIPELINE_SYNC) break;
    if (status == PGRES_COMMAND_OK) {
      touched += std::strtoll(PQcmdTuples(result.get()), nullptr, 10);
    } else if (!failed && status != PGRES_PIPELINE_ABORTED) {
      failed = std::move(result);
    }
  }
  if (failed || !connected()) {
    if (connected()) PQexitPipelineMode(connection_.get());
    Throw(failed.get());
  }
  return touched;
}

int64_t ServerLink::RunArrays(const std::string& sql, const std::vector<SqlRow>& rows) {
  NeedConnection();
  const std::string& name = Prepared(sql);
  int64_t touched = 0;
  for (size_t begin = 0; begin < rows.size(); begin += kInArrays) {
    const ColumnArrays arrays(rows, begin, std::min(begin + kInArrays, rows.size()));
    const ServerResult result = Checked(PQexecPrepared(connection_.get(), name.c_str(), arrays.count(), arrays.values(),
                                                       arrays.lengths(), arrays.formats(), 0));
    touched += std::strtoll(PQcmdTuples(result.get()), nullptr, 10);
  }
  return touched;
}

int64_t ServerLink::RunAll(std::string_view sql, const std::vector<SqlRow>& rows) {
  if (rows.size() > 1) {
    if (const auto arrays = InsertOfArrays(sql, rows.front())) return RunArrays(*arrays, rows);
  }
  NeedConnection();
  const std::string& name = Prepared(sql);
  PGconn* connection = connection_.get();
  int64_t touched = 0;
  PQenterPipelineMode(connection);
  for (size_t begin = 0; begin < rows.size(); begin += kPipelined) {
    const size_t end = std::min(begin + kPipelined, rows.size());
    for (size_t i = begin; i < end; ++i) {
      const ParameterTexts texts(rows[i]);
      if (PQsendQueryPrepared(connection, name.c_str(), texts.count(), texts.values(), nullptr, nullptr, 0) == 0) {
        Throw(nullptr);
      }
    }
    if (PQpipelineSync(connection) == 0) Throw(nullptr);
    touched += ReadAnswers();
  }
  PQexitPipelineMode(connection);
  return touched;
}

bool ServerLink::AwaitNotice(int64_t milliseconds) {
  PGconn* connection = connection_.get();
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    if (PQconsumeInput(connection) == 0) Throw(nullptr);
    PGnotify* notice = PQnotifies(connection);
    PQfreemem(notice);
    if (notice != nullptr) return true;
    if (!AwaitSocket(connection, PGRES_POLLING_READING, end)) return false;
  }
}

void ServerLink::Begin() {
  Execute("BEGIN");
  in_transaction_ = true;
}

void ServerLink::Commit() {
  NeedConnection();
  in_transaction_ = false;
  const ServerResult result = Checked(PQexec(connection_.get(), "COMMIT"));
  // A transaction in which a statement failed answers ROLLBACK here.
  if (std::strcmp(PQcmdStatus(result.get()), "COMMIT") != 0) {
    throw Error(ExitCode::kIo, fmt::format("store '{}': the server took the transaction back", address_));
  }
}

void ServerLink::Rollback() {
  in_transaction_ = false;
  if (connected()) PQclear(PQexec(connection_.get(), "ROLLBACK"));
}

}  // namespace hone
