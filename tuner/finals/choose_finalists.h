// Who takes part in a task's finals.
#pragma once

#include <vector>

#include "tuner/tuning_task.h"

namespace hone {

// The incumbent first: what a build would take without this run (the winner of the last finals, else the analytic
// default, else the fastest). Then at most `challengers` others by least sample, the noisy ones too, none more than 10
// % slower than the fastest of all: a clear lead makes the finals small. Empty when there is nobody to challenge.
std::vector<Proposal> ChooseFinalists(const TuningTask& task, int challengers);

}  // namespace hone
