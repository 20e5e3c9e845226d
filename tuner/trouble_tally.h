// The machine's trouble during a run: how much of it, and when it is too much to go on.
#pragma once

#include <cstdint>
#include <optional>

#include "core/failure.h"
#include "tuner/trial.h"

namespace hone {

// The machine's failure that kept the trial from being judged; nullopt when there was none.
std::optional<Failure> TroubleOf(const Trial& trial);

// Not thread-safe.
class TroubleTally {
 public:
  enum class Advice : uint8_t {
    kGoOn,
    kStopTask,  // so many troubles in a row were all of this task
    kGiveUp,    // so many in a row, of several tasks or where nothing has worked yet
  };

  // A trial of this task was not judged. `others_worked`: there are other tasks, and a trial was judged in this run.
  Advice Add(size_t task, const Failure& trouble, bool others_worked);
  // The same, of a task that was stopped: it is counted, and decides nothing.
  void AddStopped(const Failure& trouble);
  void Judged();

  int64_t not_judged() const { return not_judged_; }
  // The last trouble; an empty reason when there was none.
  const Failure& last() const { return last_; }
  // Throws Error with the last trouble's code and reason.
  [[noreturn]] void GiveUp() const;

 private:
  int64_t not_judged_ = 0;
  int64_t in_a_row_ = 0;        // since the last trial that was judged
  std::optional<size_t> task_;  // the task of all in the row; nullopt: several
  Failure last_;
};

}  // namespace hone
