// --workload, --device and the other options that choose records.
#pragma once

#include <string>

#include "cli/command_line.h"
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

}  // namespace hone
