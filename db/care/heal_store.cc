#include "db/care/heal_store.h"

#include <vector>

#include "db/database.h"
#include "db/open_database.h"
#include "db/verdicts/machine_blame.h"

namespace hone {
namespace {

void RemoveKeepingLastPlace(Database& database, const std::vector<int64_t>& removed) {
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
    EachBlameForMachine(database, "", [&](int64_t seq, const std::string& message) {
      removed.push_back(seq);
      ++healed.causes[message];
    });
    healed.records = static_cast<int64_t>(removed.size());
    healed.kept = database.Integer("SELECT count(*) FROM records") - healed.records;
    if (rehearse || removed.empty()) return healed;
    RemoveKeepingLastPlace(database, removed);
    transaction.Commit();
  }
  database.Compact();
  return healed;
}

}  // namespace hone
