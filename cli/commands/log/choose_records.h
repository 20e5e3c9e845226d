// Chooses the records of a store that go into logs and packs.
#pragma once

#include <string>
#include <vector>

#include "db/record_store.h"

namespace hone {

// The query; with `models` (as MODEL on the command line) restricted to their tasks, as this machine would tune them at
// the query's threads. Throws what LoadModel throws.
RecordQuery OfModels(RecordQuery query, const std::vector<std::string>& models);

// Ids of the records that match OfModels, sorted by workload, then id. With `best` only those of the best (BestIds).
std::vector<std::string> ChooseIds(const RecordStore& store, const RecordQuery& of,
                                   const std::vector<std::string>& models, bool best);

// The records of OfModels; with `best` only BestOf them.
std::vector<Record> ChooseRecords(const RecordStore& store, const RecordQuery& of,
                                  const std::vector<std::string>& models, bool best);

}  // namespace hone
