#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/care/store_care.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/store_tables.h"

namespace hone {
namespace {

// The fields that decide about one record.
struct Row {
  int64_t seq = 0, unix_ms = 0, min_ns = 0;
  int64_t fate = 0, noisy = 0, held = 0;
  std::string candidate;  // schedule and config
};

// Rows grouped by workload, machine, target, threads and cache mode.
using Groups = std::map<std::string, std::vector<Row>>;

Groups ReadGroups(Database& database) {
  Groups groups;
  Statement statement(
      database,
      "SELECT workload || '\n' || CASE WHEN fingerprint = '' THEN cpu_model || '\n' || host ELSE fingerprint END "
      "|| '\n' || triple || '\n' || cpu || '\n' || features || '\n' || threads || '\n' || cache, seq, unix_ms, min_ns, "
      "fate, noisy, held, schedule || ' ' || config "
      "FROM records ORDER BY seq");
  while (statement.Step()) {
    groups[statement.Text(0)].push_back({statement.Integer(1), statement.Integer(2), statement.Integer(3),
                                         statement.Integer(4), statement.Integer(5), statement.Integer(6),
                                         statement.Text(7)});
  }
  return groups;
}

bool Usable(const Row& row) { return row.fate == static_cast<int64_t>(Fate::kOk) && row.noisy == 0 && row.min_ns > 0; }

// A doubted record is as useless as the one that doubts it, and is not kept in its place (db/verdicts/row_verdicts.h).
void MarkDoubted(std::vector<Row>& rows) {
  std::set<std::pair<std::string, int64_t>> doubts;
  for (const Row& row : rows) {
    if (row.noisy != 0) doubts.emplace(row.candidate, row.min_ns);
  }
  for (Row& row : rows) row.noisy |= static_cast<int64_t>(doubts.contains({row.candidate, row.min_ns}));
}

// Sorts fastest first; unusable rows go behind all usable ones.
void SortByTime(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return Usable(a) != Usable(b) ? Usable(a) : Usable(a) && a.min_ns < b.min_ns;
  });
}

bool Matches(const Row& row, int64_t rank, const PrunePolicy& policy) {
  if (policy.before_unix_ms && row.unix_ms >= *policy.before_unix_ms) return false;
  if (policy.fate && row.fate != static_cast<int64_t>(*policy.fate)) return false;
  return !policy.beyond_rank || !Usable(row) || rank >= *policy.beyond_rank;
}

std::vector<int64_t> ToRemove(Groups groups, const PrunePolicy& policy, int64_t last) {
  std::vector<int64_t> removed;
  for (auto& [group, rows] : groups) {
    std::set<std::string> in_finals;
    for (const Row& row : rows) {
      if (row.held > 0) in_finals.insert(row.candidate);
    }
    MarkDoubted(rows);
    SortByTime(rows);
    for (size_t rank = 0; rank < rows.size(); ++rank) {
      const Row& row = rows[rank];
      const bool best = rank == 0 && Usable(row);
      if (best || row.seq == last || in_finals.contains(row.candidate)) continue;
      if (Matches(row, static_cast<int64_t>(rank), policy)) removed.push_back(row.seq);
    }
  }
  return removed;
}

void RemoveRecords(Database& database, const std::vector<int64_t>& removed) {
  std::vector<SqlRow> rows;
  for (const int64_t seq : removed) rows.push_back({seq});
  database.ExecuteAll("DELETE FROM records WHERE seq = ?", rows);
}

void RemoveKeepingLastPlace(Database& database, const std::vector<int64_t>& removed) {
  const int64_t last = database.Integer("SELECT max(seq) FROM records");
  RemoveRecords(database, removed);
  if (database.Integer("SELECT count(*) FROM records") == 0) return;
  const int64_t newest = database.Integer("SELECT max(seq) FROM records");
  if (newest != last) database.ExecuteAll("UPDATE records SET seq = ? WHERE seq = ?", {{last, newest}});
}

}  // namespace

Pruned PruneStore(const std::string& path, const PrunePolicy& policy, bool rehearse) {
  Database database = OpenDatabase(path, false);
  Pruned pruned;
  const int64_t before = database.Facts().size_bytes;
  {
    Transaction transaction(database);
    const std::vector<int64_t> removed =
        ToRemove(ReadGroups(database), policy, database.Integer("SELECT max(seq) FROM records"));
    pruned.records = static_cast<int64_t>(removed.size());
    pruned.kept = database.Integer("SELECT count(*) FROM records") - pruned.records;
    if (rehearse || removed.empty()) return pruned;
    RemoveRecords(database, removed);
    transaction.Commit();
  }
  database.Compact();
  pruned.freed_bytes = before - database.Facts().size_bytes;
  return pruned;
}

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
