// What a tuning run shows while it goes on, and at its end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cli/printing/status_line.h"
#include "cli/printing/time_left.h"
#include "core/serialize.h"
#include "tuner/tuner.h"

namespace hone {

// Progress on stderr: on a terminal one line that is written over, else a plain line when a best falls and every 10 s.
// With JSON one object a line on stdout instead. One thread.
class TuneOutput {
 public:
  TuneOutput(bool json, bool terminal, size_t tasks, const Budget& budget);
  void Observe(const TuneEvent& event);
  // Ends the line that is written over. To be called before anything else is printed.
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
// Per task: uses, default, best, gain, share of the measured peak (of the direct algorithm's arithmetic: Winograd
// passes 100 %), trials, why it stopped and what its finals said; then schedules and configs, or how a task failed of
// which nothing worked, the peak and the sums.
std::string ReportText(const TuneReport& report);
// Why no task has a kernel that ran and was right; empty when one has, or there are no tasks.
std::string WhyNothingWorked(const TuneReport& report);
// The closing object: event "done" and the tasks.
Json ReportJson(const TuneReport& report);

}  // namespace hone
