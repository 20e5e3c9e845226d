#include "db/postgresql/server_store.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "db/postgresql/address.h"
#include "db/postgresql/server_claims.h"
#include "db/postgresql/server_link.h"
#include "db/postgresql/server_schema.h"
#include "db/store_schema.h"

namespace hone {
namespace {

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
