// Prints a tuning run's progress, its report and the decisions of its finals.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/text/status_line.h"
#include "tuner/finals/network_finals.h"
#include "tuner/tuner.h"

namespace hone {

// Estimates the remaining time of a tuning run.

// Trial() reports each trial. The estimate uses the rate of the later half of them, because the first trials of each
// task also pay for its reference and inputs.
class TimeLeft {
 public:
  explicit TimeLeft(const Budget& budget) : budget_(budget) {}
  // `trial` is the number of trials so far, including those of earlier runs. elapsed_ns is the time since this run
  // began.
  void Trial(int64_t trial, int64_t elapsed_ns);
  // An upper bound of the time left, as a plateau may end the run earlier. nullopt if no time is left or it is unknown.
  std::optional<int64_t> Ns() const;

 private:
  const Budget budget_;
  int64_t trial_ = 0;
  std::vector<int64_t> elapsed_ns_;  // at this run's trials
};

// The decisions of finals in the built model: one line; empty if no finals were asked for.
std::string NetworkFinalsText(const NetworkFinals& finals);
// null if no finals were asked for.
Json NetworkFinalsJson(const NetworkFinals& finals);

// Progress on stderr: one overwritten line on a terminal, else a plain line when a best time falls and every 10 s. With
// JSON, one object per line on stdout instead. Not thread-safe.
class TuneOutput {
 public:
  TuneOutput(bool json, bool terminal, size_t tasks, const Budget& budget);
  void Observe(const TuneEvent& event);
  // Ends the overwritten line. Must be called before anything else is printed.
  void Finish();

 private:
  std::string Status(const TuneEvent& event) const;
  void ObserveFinals(const TuneEvent& event);

  bool json_;
  StatusLine status_;
  size_t tasks_;
  TimeLeft left_;
  int64_t trials_ = 0, failed_ = 0, finals_ = 0;
  int64_t last_line_ns_ = 0;
  std::map<std::string, int64_t> best_ns_;  // by task
};

// One object per event.
Json EventJson(const TuneEvent& event);
// A row per task: uses, default, best, gain, share of the measured peak, trials, why it stopped and its finals' result.
// The share counts the direct algorithm's arithmetic, so Winograd exceeds 100 %. Below are schedules and configs, or
// the failure of a task for which nothing worked, then the peak and the sums.
std::string ReportText(const TuneReport& report);
// Why no task has a kernel that ran correctly; empty if one has, or if there are no tasks.
std::string WhyNothingWorked(const TuneReport& report);
// The closing object: event "done" and the tasks.
Json ReportJson(const TuneReport& report);

}  // namespace hone
