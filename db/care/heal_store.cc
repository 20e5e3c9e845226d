#include "db/care/heal_store.h"

#include <fmt/format.h>

#include <functional>
#include <vector>

#include "core/error.h"
#include "core/failure.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/record_columns.h"

namespace hone {
namespace {

constexpr int kRowsAtOnce = 1000;

// Those that BlamesForMachine may speak of. A few at a time: a server gives the rows of a statement all at once.
void ForEachToHeal(Database& database, const std::function<void(int64_t seq, const std::string& message)>& take) {
  Statement rows(database, fmt::format("SELECT seq, json FROM records WHERE seq > ? AND fate IN ({}, {}, {}) ORDER BY "
                                       "seq LIMIT {}",
                                       static_cast<int>(Fate::kCompileFailed), static_cast<int>(Fate::kUnsupported),
                                       static_cast<int>(Fate::kOutOfMemory), kRowsAtOnce));
  for (int64_t last = 0, more = 1; more > 0;) {
    more = 0;
    rows.Reset();
    for (rows.Bind(1, last); rows.Step(); ++more) {
      last = rows.Integer(0);
      const Measurement measurement = RecordFromColumn(rows, 1).measurement;
      if (BlamesForMachine(measurement.fate, measurement.message)) take(last, measurement.message);
    }
  }
}

void Remove(Database& database, const std::vector<int64_t>& removed) {
  const int64_t last = database.Integer("SELECT max(seq) FROM records");
  std::vector<SqlRow> rows;
  for (const int64_t seq : removed) rows.push_back({seq});
  database.ExecuteAll("DELETE FROM records WHERE seq = ?", rows);
  if (database.Integer("SELECT count(*) FROM records") == 0) return;
  const int64_t newest = database.Integer("SELECT max(seq) FROM records");
  if (newest != last) database.ExecuteAll("UPDATE records SET seq = ? WHERE seq = ?", {{last, newest}});
}

}  // namespace

Healed HealStore(const std::string& path, bool rehearse) {
  Database database = OpenDatabase(path, false);
  Healed healed;
  {
    Transaction transaction(database);
    std::vector<int64_t> removed;
    ForEachToHeal(database, [&](int64_t seq, const std::string& message) {
      removed.push_back(seq);
      ++healed.causes[message];
    });
    healed.records = static_cast<int64_t>(removed.size());
    healed.kept = database.Integer("SELECT count(*) FROM records") - healed.records;
    if (rehearse || removed.empty()) return healed;
    Remove(database, removed);
    transaction.Commit();
  }
  database.Compact();
  return healed;
}

}  // namespace hone
