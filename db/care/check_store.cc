#include "db/care/check_store.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/hash.h"
#include "db/database.h"
#include "db/record_columns.h"
#include "db/record_log.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/store_file.h"

namespace hone {
namespace {

// The keys that are copies of fields. What is derived from a machine (fingerprint, device, llvm_cpu) may be derived
// better by a later hone.
constexpr const char* kKeys =
    "id || char(10) || workload || char(10) || schedule || char(10) || schedule_version || char(10) || config || "
    "char(10) || triple || char(10) || cpu || char(10) || features || char(10) || threads || char(10) || fate || "
    "char(10) || min_ns || char(10) || cache || char(10) || noisy || char(10) || emulated || char(10) || session || "
    "char(10) || held || char(10) || place";

class Check {
 public:
  explicit Check(Database& database) : database_(database) { UpgradeSchema(scratch_, 0); }

  StoreCheck Run() {
    Pages();
    Records();
    Foreign();
    if (unsaid_ > 0) check_.problems.push_back(fmt::format("and {} more", unsaid_));
    return std::move(check_);
  }

 private:
  void Tell(std::string problem) {
    if (check_.problems.size() < kMostProblems) {
      check_.problems.push_back(std::move(problem));
    } else {
      ++unsaid_;
    }
  }

  // Damage ends a walk over a table, and is told.
  template <typename Walk>
  void Walked(const Walk& walk) {
    try {
      walk();
    } catch (const Error& error) {
      if (error.code() != ExitCode::kBadData) throw;
      Tell(error.what());
    }
  }

  void Pages() {
    Walked([this] {
      Statement statement(database_, "PRAGMA integrity_check");
      while (statement.Step()) {
        if (statement.Text(0) != "ok") Tell("pages: " + statement.Text(0));
      }
    });
  }

  void Records() {
    Walked([this] {
      Statement rows(database_, fmt::format("SELECT json, {}, seq FROM records ORDER BY seq", kKeys));
      while (rows.Step()) {
        ++check_.records;
        Record(rows);
      }
    });
  }

  void Record(const Statement& row) {
    try {
      if (KeysOf(RecordFromColumn(row, 0)) != row.Text(1)) {
        Tell(fmt::format("record {}: its keys are not its fields", row.Integer(2)));
      }
    } catch (const Error& error) {
      Tell(fmt::format("record {}: {}", row.Integer(2), error.what()));
    }
  }

  // As a store would write them.
  std::string KeysOf(const hone::Record& record) {
    scratch_.Execute("DELETE FROM records");
    Statement insert(scratch_, kInsertRecord);
    BindRecord(insert, record);
    insert.Step();
    return scratch_.Text(fmt::format("SELECT {} FROM records", kKeys));
  }

  void Foreign() {
    Walked([this] {
      Statement rows(database_, "SELECT id, line, seq FROM foreign_trials ORDER BY seq");
      while (rows.Step()) {
        ++check_.foreign;
        if (Sha256Hex(rows.Text(1)).substr(0, 16) != rows.Text(0)) {
          Tell(fmt::format("foreign trial {}: its line is not the one that its id names", rows.Integer(2)));
        }
      }
    });
  }

  Database& database_;
  Database scratch_ = Database::InMemory();
  StoreCheck check_;
  int64_t unsaid_ = 0;
};

}  // namespace

StoreCheck CheckStore(const std::string& path) {
  try {
    Database database = OpenStoreFile(path, false);
    return Check(database).Run();
  } catch (const Error& error) {
    if (error.code() != ExitCode::kBadData) throw;
    return {.problems = {error.what()}};
  }
}

}  // namespace hone
