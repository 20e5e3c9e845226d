// Records on their way into the table `records`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "db/database.h"
#include "db/record.h"
#include "db/setup_table.h"

namespace hone {

// Made before the write lock is taken, so that others wait for it no longer than they must.
class RecordRows {
 public:
  // Of records[begin, end), which must outlive the rows. Records without an id are finished; one whose id is not its
  // content's throws Error(kBug).
  RecordRows(const std::vector<Record>& records, size_t begin, size_t end);
  RecordRows(const RecordRows&) = delete;
  RecordRows& operator=(const RecordRows&) = delete;
  // Inside a Transaction, once. Returns how many were new. When the transaction does not go through, the caller lets
  // `setups` forget.
  int64_t Insert(Database& database, SetupTable& setups);
  // For those who insert once.
  int64_t Insert(Database& database);

 private:
  std::vector<SetupColumns> setups_;
  std::vector<SqlRow> rows_;
};

}  // namespace hone
