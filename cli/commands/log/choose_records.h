// Which records of a store leave it: for logs and packs.
#pragma once

#include <string>
#include <vector>

#include "db/record_store.h"

namespace hone {

// The records of the query; with `models` (as MODEL on the command line) only those of their tasks, as this machine
// would tune them at the query's threads; with `best` only BestOf them. Throws what LoadModel throws.
std::vector<Record> ChooseRecords(const RecordStore& store, RecordQuery query, const std::vector<std::string>& models,
                                  bool best);

}  // namespace hone
