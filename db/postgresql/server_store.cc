#include "db/postgresql/server_store.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "db/postgresql/server_link.h"
#include "db/postgresql/server_schema.h"
#include "db/trial_row.h"

namespace hone {
namespace {

struct OptionsFree {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string Lower(std::string text) {
  for (char& letter : text) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text;
}

// Looks for "password = x" as in libpq's key=value words.
bool GivesPassword(std::string_view lower) {
  constexpr std::string_view kWord = "password";
  for (size_t at = lower.find(kWord); at != lower.npos; at = lower.find(kWord, at + 1)) {
    const size_t next = lower.find_first_not_of(kBlanks, at + kWord.size());
    if (next != lower.npos && lower[next] == '=') return true;
  }
  return false;
}

// libpq ends the part before '@' at the first '/'. If a password contains '/', it takes the beginning for a port and
// the rest, with the '@', for a database.
bool IsReadAsMeant(std::string_view address) {
  const bool has_scheme = address.starts_with("postgresql://") || address.starts_with("postgres://");
  if (!has_scheme) return false;
  address.remove_prefix(address.find("//") + 2);
  const size_t at = address.find('@'), path = address.find('/');
  return at == address.npos || (address.find('@', at + 1) == address.npos && at < path);
}

bool IsPorts(std::string_view text) { return text.find_first_not_of("0123456789,") == text.npos; }

[[noreturn]] void RefuseUnreadable() {
  throw Error(ExitCode::kUsage,
              "the address of the store cannot be read; it is written postgresql://USER@HOST:PORT/DATABASE, with "
              "%-escapes for other signs");
}

}  // namespace

bool IsPostgresAddress(const std::string& where) {
  const std::string lower = Lower(where);
  const size_t begin = lower.find_first_not_of(kBlanks);
  if (begin == lower.npos) return false;
  const std::string_view text = std::string_view(lower).substr(begin);
  const bool has_scheme = text.find("://") != text.npos || text.find("%3a") != text.npos;
  return has_scheme || text.starts_with("postgres:") || text.starts_with("postgresql:") || GivesPassword(text);
}

void CheckPostgresAddress(const std::string& address) {
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, OptionsFree> options(PQconninfoParse(address.c_str(), &why));
  // libpq's reason repeats the address, and with it a password.
  PQfreemem(why);
  if (options == nullptr) RefuseUnreadable();
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (std::string_view(option->keyword) == "port" && !IsPorts(option->val)) RefuseUnreadable();
    // '*' is libpq's own mark for values that must not be shown.
    if (option->dispchar[0] == '*') {
      throw Error(ExitCode::kUsage,
                  "the address of the store has a password in it, which everybody on this machine can see; keep it in "
                  "~/.pgpass (mode 0600), a service file or PGPASSWORD");
    }
  }
  if (!IsReadAsMeant(address)) RefuseUnreadable();
}

namespace {

// Claims as advisory locks of the connection, which the server frees when it ends. After a reconnection they are taken
// again; one that another tuner took in the meantime is then held by both. Throws Error(kIo) while the server cannot be
// reached.
class ServerClaims : public Claims {
 public:
  // The link must outlive the claims.
  explicit ServerClaims(ServerLink& link);
  ~ServerClaims() override;
  ServerClaims(const ServerClaims&) = delete;
  ServerClaims& operator=(const ServerClaims&) = delete;

  bool Take(std::string_view what) override;
  // Never throws: claims on a lost server are free already.
  void Release(std::string_view what) override;

 private:
  bool TakeLock(int64_t number);

  ServerLink& link_;
  std::map<int64_t, bool> held_;  // by number; whether the server agrees
};

ServerClaims::ServerClaims(ServerLink& link) : link_(link) {
  link_.OnReconnect([this] {
    for (auto& [number, agreed] : held_) agreed = TakeLock(number);
  });
}

ServerClaims::~ServerClaims() {
  link_.OnReconnect(nullptr);
  if (held_.empty() || !link_.connected()) return;
  try {
    link_.Execute("SELECT pg_advisory_unlock_all()");
  } catch (const Error&) {
    // The connection is lost, and with it the locks.
  }
}

bool ServerClaims::TakeLock(int64_t number) {
  const ServerResult result = link_.Run("SELECT pg_try_advisory_lock(?::bigint)", {number});
  return PQgetvalue(result.get(), 0, 0)[0] == 't';
}

bool ServerClaims::Take(std::string_view what) {
  const int64_t number = ClaimNumber(what);
  if (held_.contains(number)) return true;
  if (!TakeLock(number)) return false;
  held_[number] = true;
  return true;
}

void ServerClaims::Release(std::string_view what) {
  const auto held = held_.find(ClaimNumber(what));
  if (held == held_.end()) return;
  const auto [number, agreed] = *held;
  held_.erase(held);
  if (!agreed || !link_.connected()) return;
  try {
    link_.Run("SELECT pg_advisory_unlock(?::bigint)", {number});
  } catch (const Error&) {
    // The connection is lost, and with it the lock.
  }
}

class ServerStatement : public SqlStatement {
 public:
  ServerStatement(ServerLink& link, std::string_view sql) : link_(link), sql_(sql) {}

  void Bind(int parameter, int64_t value) override { Parameter(parameter) = value; }
  void Bind(int parameter, std::string_view value) override { Parameter(parameter) = std::string(value); }
  bool Step() override {
    if (!result_) result_ = link_.Run(sql_, parameters_);
    return ++row_ < PQntuples(result_.get());
  }
  int64_t Integer(int column) const override {
    return std::strtoll(PQgetvalue(result_.get(), row_, column), nullptr, 10);
  }
  std::string Text(int column) const override {
    return {PQgetvalue(result_.get(), row_, column), static_cast<size_t>(PQgetlength(result_.get(), row_, column))};
  }
  void Reset() override {
    result_.reset();
    row_ = -1;
  }

 private:
  SqlValue& Parameter(int parameter) {
    if (parameters_.size() < static_cast<size_t>(parameter)) parameters_.resize(static_cast<size_t>(parameter));
    return parameters_[static_cast<size_t>(parameter - 1)];
  }

  ServerLink& link_;
  std::string sql_;
  SqlRow parameters_;
  ServerResult result_;
  int row_ = -1;
};

class ServerStore : public SqlConnection {
 public:
  explicit ServerStore(const std::string& address) : link_(address) {}

  std::unique_ptr<SqlStatement> Prepare(std::string_view sql) override {
    return std::make_unique<ServerStatement>(link_, sql);
  }
  void Execute(const std::string& sql) override { link_.Execute(sql); }
  void BeginWrite() override {
    link_.Begin();
    try {
      link_.Execute(kWriteLock);
    } catch (const Error&) {
      link_.Rollback();
      throw;
    }
  }
  void Commit() override { link_.Commit(); }
  void Rollback() override { link_.Rollback(); }
  int64_t ExecuteAll(std::string_view sql, const std::vector<SqlRow>& rows) override { return link_.RunAll(sql, rows); }
  void Compact() override { link_.Execute("VACUUM records"); }
  EngineFacts Facts() override;
  bool read_only() const override { return false; }
  const std::string& name() const override { return link_.address(); }
  std::unique_ptr<Claims> MakeClaims() override { return std::make_unique<ServerClaims>(link_); }

  ServerLink& link() { return link_; }

 private:
  ServerLink link_;
};

EngineFacts ServerStore::Facts() {
  const ServerResult result = link_.Run(
      "SELECT current_setting('server_version'), current_setting('fsync'), (SELECT version FROM store), "
      "(SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = "
      "c.relnamespace WHERE n.nspname = 'hone' AND c.relkind = 'r')",
      {});
  const auto text = [&result](int column) { return std::string(PQgetvalue(result.get(), 0, column)); };
  const std::string version = text(0);
  return {.name = "PostgreSQL",
          .version = version.substr(0, version.find(' ')),
          .journal = text(1) == "on" ? "wal" : "wal without fsync",
          .schema_version = static_cast<int>(std::strtol(text(2).c_str(), nullptr, 10)),
          .size_bytes = std::strtoll(text(3).c_str(), nullptr, 10)};
}

}  // namespace

Database OpenServerStore(const std::string& address, bool create) {
  CheckPostgresAddress(address);
  auto store = std::make_unique<ServerStore>(address);
  const int64_t version = ServerSchemaVersion(store->link());
  if (version == 0 && !create) {
    throw Error(ExitCode::kNoInput,
                fmt::format("there is no store in '{}'; hone tune or hone log import makes one", address));
  }
  if (version < kSchemaVersion) UpgradeServerSchema(store->link());
  return Database(std::move(store));
}

}  // namespace hone
