#include <fmt/format.h>

#include "core/error.h"
#include "core/failure.h"
#include "core/hash/hash.h"
#include "db/care/store_care.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/record_log.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/sqlite_connection.h"
#include "db/store_tables.h"

namespace hone {
namespace {

// The keys that are copies of fields. Those derived from a machine (fingerprint, device, llvm_cpu) are left out,
// because a later hone may derive them better.
constexpr const char* kKeys =
    "id || '\n' || workload || '\n' || schedule || '\n' || schedule_version || '\n' || config || "
    "'\n' || triple || '\n' || cpu || '\n' || features || '\n' || threads || '\n' || fate || "
    "'\n' || min_ns || '\n' || cache || '\n' || noisy || '\n' || emulated || '\n' || session || "
    "'\n' || held || '\n' || place";

class Check {
 public:
  explicit Check(Database& database) : database_(database) { UpgradeSchema(scratch_, 0); }

  StoreCheck Run() {
    Pages();
    Records();
    Setups();
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

  // Damage ends the walk over a table and is reported.
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
    if (database_.Facts().name != "SQLite") return;
    Walked([this] {
      Statement statement(database_, "PRAGMA integrity_check");
      while (statement.Step()) {
        if (statement.Text(0) != "ok") Tell("pages: " + statement.Text(0));
      }
    });
  }

  // Reads a few rows at a time, because a server returns all rows of a statement at once.
  void Records() {
    Walked([this] {
      Statement rows(database_, fmt::format("SELECT json, {}, seq FROM records WHERE seq > ? ORDER BY seq LIMIT {}",
                                            kKeys, kRowsAtOnce));
      for (int64_t last = 0, more = 1; more > 0;) {
        more = 0;
        rows.Reset();
        for (rows.Bind(1, last); rows.Step(); ++more) {
          ++check_.records;
          last = rows.Integer(2);
          Record(rows);
        }
      }
    });
  }

  void Record(const Statement& row) {
    try {
      const hone::Record record = RecordFromColumn(row, 0);
      check_.to_heal += BlamesForMachine(record.measurement.fate, record.measurement.message);
      if (KeysOf(record) != row.Text(1)) {
        Tell(fmt::format("record {}: its keys are not its fields", row.Integer(2)));
      }
    } catch (const Error& error) {
      Tell(fmt::format("record {}: {}", row.Integer(2), error.what()));
    }
  }

  // The keys as a store would write them.
  std::string KeysOf(const hone::Record& record) {
    scratch_.Execute("DELETE FROM records");
    RecordRows({record}, 0, 1).Insert(scratch_);
    return scratch_.Text(fmt::format("SELECT {} FROM records", kKeys));
  }

  // Checks the setup that a lookup uses instead of a record's own columns.
  void Setups() {
    Walked([this] {
      Statement rows(database_,
                     "SELECT r.seq FROM records AS r LEFT JOIN setups AS s ON s.id = r.setup WHERE r.setup <> 0 AND "
                     "(s.id IS NULL OR s.triple <> r.triple OR s.cpu <> r.cpu OR s.features <> r.features OR "
                     "s.threads <> r.threads OR s.fingerprint <> r.fingerprint OR s.cache <> r.cache OR "
                     "s.llvm_cpu <> r.llvm_cpu) ORDER BY r.seq");
      while (rows.Step()) Tell(fmt::format("record {}: its setup is another one's", rows.Integer(0)));
    });
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
  Database scratch_ = SqliteInMemory();
  StoreCheck check_;
  int64_t unsaid_ = 0;
};

}  // namespace

StoreCheck CheckStore(const std::string& path) {
  try {
    Database database = OpenDatabase(path, false);
    return Check(database).Run();
  } catch (const Error& error) {
    if (error.code() != ExitCode::kBadData) throw;
    return {.problems = {error.what()}};
  }
}

}  // namespace hone
