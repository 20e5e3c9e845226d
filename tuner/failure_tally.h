// Counts failures: a task's own, for its report, and the machine's, to decide when there are too many to go on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/failure.h"
#include "tuner/tuner.h"

namespace hone {

struct Trial;

// The failures of a task's trials while none has worked.
class FailureTally {
 public:
  void Add(Fate fate, const std::string& message);
  // The commonest fate, and the commonest of its messages; of equals the first in order. `trials` is 0 if nothing was
  // added.
  FailureReport Commonest() const;

 private:
  struct Messages {
    int64_t trials = 0;
    std::map<std::string, int64_t> count;
  };
  std::map<Fate, Messages> fates_;
};

// The machine's failure that kept the trial from being judged; nullopt if there was none.
std::optional<Failure> TroubleOf(const Trial& trial);

// The machine's failures during a run. Not thread-safe.
class TroubleTally {
 public:
  enum class Advice : uint8_t {
    kGoOn,
    kStopTask,  // this many failures in a row were all of this task
    kGiveUp,    // this many in a row, of several tasks or before any trial worked
  };

  // Counts a trial of this task that was not judged. `others_worked`: there are other tasks, and this run judged a
  // trial.
  Advice Add(size_t task, const Failure& trouble, bool others_worked);
  // Counts a failure of a stopped task, without an effect on decisions.
  void AddStopped(const Failure& trouble);
  void Judged();

  int64_t not_judged() const { return not_judged_; }
  // The last failure; its reason is empty if there was none.
  const Failure& last() const { return last_; }
  // Throws Error with the last failure's code and reason.
  [[noreturn]] void GiveUp() const;

 private:
  int64_t not_judged_ = 0;
  int64_t in_a_row_ = 0;        // since the last judged trial
  std::optional<size_t> task_;  // the task of all failures in the row; nullopt: several
  Failure last_;
};

}  // namespace hone
