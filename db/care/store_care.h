// Care of whole stores: checking, removing records, and copying. `path` is RecordStore::Open's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"

namespace hone {

class RecordStore;

// Checking (check_store.cc).

struct StoreCheck {
  int64_t records = 0, foreign = 0;   // number of those checked
  int64_t to_heal = 0;                // records that blame a candidate for the machine's failure (HealStore)
  std::vector<std::string> problems;  // a line each: at most kMostProblems, then the number of further ones
};
inline constexpr size_t kMostProblems = 50;

// Checks every page and index of a file (SQLite's integrity check; a server's pages are pg_amcheck's), every record
// and every foreign trial. A record's id must be its content's, and the keys that queries use must be its fields. An
// older store is upgraded first. Damage is a problem, not an error. Throws Error: kNoInput, kIo.
StoreCheck CheckStore(const std::string& path);

// Removing records (remove_records.cc).

// Selects the records to remove: those that fulfil all given conditions.
struct PrunePolicy {
  std::optional<int64_t> before_unix_ms{};  // measured before this time
  std::optional<Fate> fate{};
  // Not among this many fastest of their workload, machine, target, threads and cache mode. A record without a time or
  // a noisy one is never among them.
  std::optional<int64_t> beyond_rank{};
};

struct Pruned {
  int64_t records = 0;      // removed, or to be removed
  int64_t kept = 0;         // remaining
  int64_t freed_bytes = 0;  // 0 for a rehearsal
};

// Never removes a record that a build may choose or that decided a choice. These are the best of each workload,
// machine, target, threads and cache mode, every record of finals, and every record of a candidate in finals. The last
// record to arrive stays too, so that the order of arrival goes on. `rehearse`: only counts. Throws Error: those of
// RecordStore::Open.
Pruned PruneStore(const std::string& path, const PrunePolicy& policy, bool rehearse);

struct Healed {
  int64_t records = 0;                    // removed, or to be removed
  int64_t kept = 0;                       // remaining
  std::map<std::string, int64_t> causes;  // number of removed records by message
};

// Removes the records whose message shows that the machine failed and not the candidate (BlamesForMachine,
// core/failure.h), of trials and finals alike. No other record is touched. Other tuners may use the store meanwhile:
// the newest remaining record moves to the last place in the order of arrival. Their next query for later records then
// misses none. `rehearse`: only counts. Throws Error: those of RecordStore::Open.
Healed HealStore(const std::string& path, bool rehearse);

// Copying (copy_store.cc).

// Writes the store `path`, as it is at one moment and without free pages, durably to the new file `to`. Returns its
// size in bytes. Throws Error: those of RecordStore::Open, kCannotCreate (`to` exists, or cannot be made), kIo. When
// it throws there is no `to`.
int64_t BackupStore(const std::string& path, const std::string& to);

struct Recovered {
  int64_t records = 0, foreign = 0, runs = 0;
};

// Makes the store `to` of every record, foreign trial and run that can still be read in the file `from`. It reads a
// copy with SQLite, from both ends of each table, then page by page. Every record and trial is proved by its id, so
// that nothing false is taken. `from` is never opened for writing. Throws Error: kNoInput (no `from`), kCannotCreate
// (`to` exists), kIo. When it throws there is no `to`.
Recovered RecoverStore(const std::string& from, const std::string& to);

struct SyncedRows {
  int64_t records = 0, foreign = 0;  // that were new in the store that received them
};
struct SyncCounts {
  SyncedRows to_a, to_b;
};

// Copies every record and foreign trial of each store to the other, a few at a time. Rows are named by their content,
// so the stores end equal in whatever order and however often they are synced. Only the ids of rows that a store
// already has are compared. Runs and the notes of packs are not copied: they belong to their store. Rows that arrive
// meanwhile may or may not be copied. Rethrows the stores' exceptions; rows copied until then stay.
SyncCounts SyncStores(RecordStore& a, RecordStore& b);

}  // namespace hone
