// Prints records for people and for programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "db/record.h"
#include "db/record_store.h"
#include "db/trial_row.h"

namespace hone {

// Prints a table with a row each, or one JSON document.
void PrintRecords(const std::vector<Record>& records, bool json);
// Prints the store's records that match, or that have these ids, in their order. At most one is held in memory at a
// time, except for a terminal's table. Records that arrive meanwhile are left out.
void PrintRecords(const RecordStore& store, RecordQuery query, bool json);
void PrintRecords(const RecordStore& store, const std::vector<std::string>& ids, bool json);

}  // namespace hone
