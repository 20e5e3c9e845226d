// Which records of a store leave it: for logs and packs.
#pragma once

#include <string>
#include <vector>

#include "db/record_store.h"

namespace hone {

// The query; with `models` (as MODEL on the command line) only for their tasks, as this machine would tune them at the
// query's threads. Throws what LoadModel throws.
RecordQuery OfModels(RecordQuery query, const std::vector<std::string>& models);

// The ids of those that fit OfModels, with `best` only of the best of them (BestIds): sorted by workload, then id.
std::vector<std::string> ChooseIds(const RecordStore& store, const RecordQuery& of,
                                   const std::vector<std::string>& models, bool best);

// The records of OfModels; with `best` only BestOf them.
std::vector<Record> ChooseRecords(const RecordStore& store, const RecordQuery& of,
                                  const std::vector<std::string>& models, bool best);

}  // namespace hone
