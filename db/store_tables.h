// The rows of a store's tables `setups`, `records` and `foreign_trials`, for every engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "db/database.h"
#include "db/foreign_trial.h"
#include "db/record_store.h"
#include "db/setup.h"
#include "db/trial_row.h"

namespace hone {

// A Setup as a row of `setups`. The members are those of a TrialRow.
struct SetupColumns {
  std::string triple, cpu, features;
  int threads = 1;
  std::string fingerprint;
  CacheMode cache = CacheMode::kColdWeights;
  std::string llvm_cpu;
  auto operator<=>(const SetupColumns&) const = default;
};
SetupColumns SetupColumnsOf(const TrialRow& row);

// The table `setups`: every Setup of a store's records, once. A lookup reads a thousand records of a workload, which
// come from only a few machines and targets. Setups are cached by number, because the meaning of a committed number
// never changes. Used by one thread at a time; the database must outlive it.
class SetupTable {
 public:
  struct Known {
    SharedSetup setup;
    std::string llvm_cpu;
  };

  explicit SetupTable(Database& database) : database_(database) {}

  // The number of a setup, from 1; assigns one if it has none. Called inside a Transaction.
  int64_t NumberOf(const SetupColumns& columns);
  // Must be called when a Transaction in which NumberOf was called did not commit.
  void Forget() { numbers_.clear(); }
  // Null if the table does not have the number.
  const Known* Find(int64_t number);

 private:
  std::optional<int64_t> Look(const SetupColumns& columns);

  Database& database_;
  std::map<SetupColumns, int64_t> numbers_;
  std::map<int64_t, Known> known_;
};

// Records prepared for the table `records`, before the write lock is taken, so that others wait for it as briefly as
// possible.
class RecordRows {
 public:
  // Takes records[begin, end). Records without an id are finished; one whose id is not its content's throws
  // Error(kBug).
  RecordRows(const std::vector<Record>& records, size_t begin, size_t end);
  // Called once, inside a Transaction. Known ids are ignored. Returns the number of new records. If the transaction
  // fails, the caller must call Forget on `setups`.
  int64_t Insert(Database& database, SetupTable& setups);
  // For callers that insert once.
  int64_t Insert(Database& database);

 private:
  std::vector<SetupColumns> setups_;
  std::vector<SqlRow> rows_;
};

// The record whose JSON is in the column. Throws Error(kBadData) when it is damaged.
Record RecordFromColumn(const Statement& statement, int column);

// A SELECT of the column json with the query's conditions, bound.
Statement SelectRecords(Database& database, const RecordQuery& query);

// A SELECT of the columns that ReadTrialRow reads, with the query's conditions, bound.
Statement SelectTrialRows(Database& database, const RecordQuery& query);
void ReadTrialRow(const Statement& statement, TrialRow& row);

// Durable when it returns. Known ids are ignored. Returns the number of new trials.
int64_t InsertForeign(Database& database, const std::vector<ForeignTrial>& trials);
// A SELECT of rows for ReadForeign: successful trials first, by cost. An empty workload means any, a limit of 0 all.
Statement SelectForeign(Database& database, const std::string& workload, int64_t limit);
// Throws Error(kBadData) when the row is damaged.
ForeignTrial ReadForeign(const Statement& statement);

// Calls `take` for each record that blames a candidate for a failure of the machine (BlamesForMachine). It gets the
// record's place in the order of arrival and its message. An empty workload means all. Reads no record of another fate,
// and holds a thousand at most.
void EachBlameForMachine(Database& database, const std::string& workload,
                         const std::function<void(int64_t seq, const std::string& message)>& take);

}  // namespace hone
