// The problems that need somebody's attention, from both sources of a dashboard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/dashboard/dashboard_sections.h"

namespace hone {

// A tracker as far as the dashboard knows it. Without a name there is none.
struct WatchedFleet {
  Source source;
  std::optional<TrackerStatus> status;
};

// Says of runs without new trials whether their tracker or all of their runners are gone: state "tracker lost" or
// "runners lost".
void JudgeSilentRuns(const WatchedFleet& fleet, WatchedStore& store);

// One line each, the most urgent first: sources that do not answer, lost and quarantined runners, tunings that stand
// still, tasks that fail.
std::vector<std::string> ProblemsOf(const Source& source, const WatchedStore& store, const WatchedFleet& fleet);

// The section "problems" with those lines.
std::vector<Section> ProblemSections(const std::vector<std::string>& problems);

}  // namespace hone
