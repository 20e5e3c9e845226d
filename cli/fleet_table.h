// Who is connected to a tracker, as rows: `hone devices` prints them, a page shows them.
#pragma once

#include <string>
#include <vector>

#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// The first row has the headers; one that begins with "> " is of a column of numbers, as Table and HtmlTable have it.
using TextRows = std::vector<std::vector<std::string>>;

// A row per runner: key, label, CPU, state, holder, health and more.
TextRows RunnerRows(const TrackerStatus& status);
// A row per key: how many of its runners are in use, and which tuners wait with none.
struct KeyUse {
  std::string key;
  int busy = 0, all = 0;  // runners; lost ones are not counted
  QueueInfo queue;
};
std::vector<KeyUse> UseOfKeys(const TrackerStatus& status);

}  // namespace hone
