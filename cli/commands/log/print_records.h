// Records for people and for programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "db/record.h"
#include "db/record_store.h"
#include "db/trial_row.h"

namespace hone {

// A table with a row each, or one JSON document.
void PrintRecords(const std::vector<Record>& records, bool json);
// Prints the store's records that fit, or that have these ids, in their order; no more than one is held but for a
// terminal's table. Those that came since are not among them.
void PrintRecords(const RecordStore& store, RecordQuery query, bool json);
void PrintRecords(const RecordStore& store, const std::vector<std::string>& ids, bool json);

}  // namespace hone
