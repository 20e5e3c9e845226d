// A dashboard's parts as HTML, each of plain values. Whatever text is given is escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/dashboard/section_board.h"
#include "cli/dashboard/watched_store.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// What a source said last, or why it says nothing now.
struct Source {
  std::string name;           // as users name it: a path or an address
  std::string trouble;        // one line; empty: it answers
  int64_t since_unix_ms = 0;  // of the trouble
};

// How the store is ("store"), all runs ("overview"), each run ("run-ID") and who measured ("devices").
std::vector<Section> StoreSections(const Source& source, const WatchedStore& store);

// How the tracker is ("fleet"), who waits ("queues"), and the runners with their health ("runners"). Without a status,
// as before the first answer, the first of these alone.
std::vector<Section> FleetSections(const Source& source, const std::optional<TrackerStatus>& status);

}  // namespace hone
