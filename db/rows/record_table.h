// The table `records`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "db/database.h"
#include "db/record_store.h"
#include "db/rows/setup_table.h"

namespace hone {

// Records prepared for the table, before the write lock is taken, so that others wait for it as briefly as possible.
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

}  // namespace hone
