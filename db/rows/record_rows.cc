#include "db/rows/record_rows.h"

#include "db/rows/record_columns.h"

namespace hone {

RecordRows::RecordRows(const std::vector<Record>& records, size_t begin, size_t end) {
  setups_.reserve(end - begin);
  rows_.reserve(end - begin);
  for (size_t i = begin; i < end; ++i) {
    setups_.push_back(SetupColumnsOf(records[i]));
    rows_.push_back(RowOf(records[i], setups_.back()));
  }
}

int64_t RecordRows::Insert(Database& database, SetupTable& setups) {
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i].emplace_back(setups.NumberOf(setups_[i]));
  return database.ExecuteAll(kInsertRecord, rows_);
}

int64_t RecordRows::Insert(Database& database) {
  SetupTable setups(database);
  return Insert(database, setups);
}

}  // namespace hone
