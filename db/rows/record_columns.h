// A record as a row of the table `records`.
#pragma once

#include "db/database.h"
#include "db/record_store.h"
#include "db/rows/setup_table.h"

namespace hone {

// The INSERT, which ignores known ids. Its parameters are a RowOf and the number of the record's setup
// (setup_table.h).
extern const char* const kInsertRecord;
// `columns` is SetupColumnsOf(record). The row views texts of both arguments, which must outlive it. A record without
// an id gets its content's; throws Error(kBug) when it has another.
SqlRow RowOf(const Record& record, const SetupColumns& columns);
SqlRow RowOf(const Record& record, const SetupColumns&& columns) = delete;

// The record whose JSON is in the column. Throws Error(kBadData) when it is damaged.
Record RecordFromColumn(const Statement& statement, int column);

// A SELECT of the column json with the query's conditions, bound.
Statement SelectRecords(Database& database, const RecordQuery& query);

// A SELECT of the columns that ReadTrialRow reads, with the query's conditions, bound.
Statement SelectTrialRows(Database& database, const RecordQuery& query);
void ReadTrialRow(const Statement& statement, TrialRow& row);

}  // namespace hone
