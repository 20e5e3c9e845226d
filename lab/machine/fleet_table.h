// The runners and users of a tracker as rows, for `hone devices` and for a page.
#pragma once

#include <string>
#include <vector>

#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// The first row has the headers; a header with a leading "> " marks a column of numbers, as in Table and HtmlTable.
using TextRows = std::vector<std::vector<std::string>>;

// A row per runner: key, label, CPU, state, holder, health and more.
TextRows RunnerRows(const TrackerStatus& status);
// A row per key: the number of its runners in use, and the tuners that wait for one.
struct KeyUse {
  std::string key;
  int busy = 0, all = 0;  // numbers of runners, without lost ones
  QueueInfo queue;
};
std::vector<KeyUse> UseOfKeys(const TrackerStatus& status);

// A row for each device: the share of time in which it was there, since when it is in its state, and the changes
// before.
TextRows AvailabilityRows(const std::vector<DeviceAvailability>& history);

}  // namespace hone
