// The records that a command works on: --workload, --device and the other options that choose them, and their reading.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "db/record.h"
#include "db/record_store.h"

namespace hone {

struct QueryOptions {
  std::string db, fate, cache, since;
  RecordQuery query;
  int threads = 0;
};

void AddQueryOptions(CommandLine& line, QueryOptions& options);
// Throws Error for an unknown fate or cache mode, or an invalid date.
RecordQuery QueryOf(const QueryOptions& options);

// Milliseconds since 1970 of the start of a UTC day such as 2026-11-22, or of the moment a duration such as 90d or 12h
// ago. Throws Error(kUsage).
int64_t ParseSince(const std::string& text, int64_t now_ms);
int64_t NowMs();

// The query; with `models` (as MODEL on the command line) restricted to their tasks, as this machine would tune them at
// the query's threads. Throws what LoadModel throws.
RecordQuery OfModels(RecordQuery query, const std::vector<std::string>& models);

// Ids of the records that match OfModels, sorted by workload, then id. With `best` only those of the best (BestIds).
std::vector<std::string> ChooseIds(const RecordStore& store, const RecordQuery& of,
                                   const std::vector<std::string>& models, bool best);

// The records of OfModels; with `best` only BestOf them.
std::vector<Record> ChooseRecords(const RecordStore& store, const RecordQuery& of,
                                  const std::vector<std::string>& models, bool best);

// All records of a pack, or the successful ones of a store. Throws Error(kNoInput) if there is neither, and what
// reading them throws.
std::vector<Record> RecordsIn(const std::string& path);

}  // namespace hone
