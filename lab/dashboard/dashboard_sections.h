// A dashboard's sections as HTML, made from plain values. All given text is escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/dashboard/section_board.h"
#include "lab/dashboard/watched_store.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// A source of data, and why it does not answer, if so.
struct Source {
  std::string name;           // as users name it: a path or an address
  std::string trouble;        // one line; empty: it answers
  int64_t since_unix_ms = 0;  // start of the trouble
};

// The store's state ("store"), all runs ("overview"), each run ("run-ID") and the devices that measured ("devices").
std::vector<Section> StoreSections(const Source& source, const WatchedStore& store);

// The tracker's state ("fleet"), its waiting clients ("queues"), and the runners with their health ("runners"). Without
// a status, as before the first answer, only the first.
std::vector<Section> FleetSections(const Source& source, const std::optional<TrackerStatus>& status);

}  // namespace hone
