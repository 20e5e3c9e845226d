// The report of a tuning run, with the decisions of its finals.
#pragma once

#include <string>

#include "core/json/serialize.h"
#include "tuner/tuner.h"

namespace hone {

// A row per task within 80 columns: its layer in the model, uses, default, best, gain, trials and its finals' result.
// With `wide`, the task's shapes, its share of the measured peak, failures and why it stopped are columns, too. The
// share counts the direct algorithm's arithmetic, so Winograd exceeds 100 %. Workloads, schedules and configs are then
// below. The failures of tasks for which nothing worked and the sums follow in each case.
std::string ReportText(const TuneReport& report, bool wide = false);
// Why no task has a kernel that ran correctly; empty if one has, or if there are no tasks.
std::string WhyNothingWorked(const TuneReport& report);
// The error of a run that ended without a runner: why, and what is kept in `store`.
std::string NoRunnerText(const TuneReport& report, const std::string& store);
// The closing object: event "done" and the tasks.
Json ReportJson(const TuneReport& report);

}  // namespace hone
