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
// Throws Error for a fate, cache mode or date that there is not.
RecordQuery QueryOf(const QueryOptions& options);

// The beginning of a day as 2026-11-22 names it in UTC, or so long ago as 90d or 12h say, in ms since 1970. Throws
// Error(kUsage).
int64_t ParseSince(const std::string& text, int64_t now_ms);
int64_t NowMs();

}  // namespace hone
