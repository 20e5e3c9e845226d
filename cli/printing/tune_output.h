// Prints a tuning run's progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/text/status_line.h"
#include "tuner/tuner.h"

namespace hone {

// Estimates the remaining time of a tuning run. Trial() reports each trial. The estimate uses the rate of the later
// half of them, because the first trials of each task also pay for its reference and inputs.
class TimeLeft {
 public:
  explicit TimeLeft(const Budget& budget) : budget_(budget) {}
  // `trial` is the number of trials so far, including those of earlier runs. elapsed_ns is the time since this run
  // began.
  void Trial(int64_t trial, int64_t elapsed_ns);
  // Time passed without a trial.
  void Waited(int64_t elapsed_ns) { now_ns_ = elapsed_ns; }
  // An upper bound of the time left, as a plateau may end the run earlier. nullopt if no time is left or it is unknown.
  std::optional<int64_t> Ns() const;

 private:
  const Budget budget_;
  int64_t trial_ = 0, now_ns_ = 0;
  std::vector<int64_t> elapsed_ns_;  // at this run's trials
};

// Progress on stderr: one overwritten line on a terminal, else a plain line every 10 s. The line begins with the
// model's time, its gain and the time left. That no runner is left is told at once. With JSON, one object per line on
// stdout instead. Not thread-safe.
class TuneOutput {
 public:
  TuneOutput(bool json, bool terminal, size_t tasks, const Budget& budget);
  void Observe(const TuneEvent& event);
  // Ends the overwritten line. Must be called before anything else is printed.
  void Finish();

 private:
  std::string Status(const TuneEvent& event) const;
  void ObserveFinals(const TuneEvent& event);
  void ObserveWaiting(const TuneEvent& event);
  void ShowOrNote(const TuneEvent& event, const std::string& status, const std::string& more);

  bool json_;
  StatusLine status_;
  size_t tasks_;
  TimeLeft left_;
  int64_t trials_ = 0, failed_ = 0, finals_ = 0;
  int64_t last_line_ns_ = 0;
  std::optional<int64_t> waits_since_ns_;  // when the last runner was gone
};

// One object per event.
Json EventJson(const TuneEvent& event);

}  // namespace hone
