// Records prepared for the table `records`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "db/database.h"
#include "db/record.h"
#include "db/rows/setup_table.h"

namespace hone {

// Prepared before the write lock is taken, so that others wait for it as briefly as possible.
class RecordRows {
 public:
  // Takes records[begin, end), which must outlive the rows. Records without an id are finished; one whose id is not
  // its content's throws Error(kBug).
  RecordRows(const std::vector<Record>& records, size_t begin, size_t end);
  RecordRows(const RecordRows&) = delete;
  RecordRows& operator=(const RecordRows&) = delete;
  // Called once, inside a Transaction. Returns the number of new records. If the transaction fails, the caller must
  // call Forget on `setups`.
  int64_t Insert(Database& database, SetupTable& setups);
  // For callers that insert once.
  int64_t Insert(Database& database);

 private:
  std::vector<SetupColumns> setups_;
  std::vector<SqlRow> rows_;
};

}  // namespace hone
