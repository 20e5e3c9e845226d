// Chooses the candidates of a task's finals.
#pragma once

#include <vector>

#include "tuner/tuning_task.h"

namespace hone {

// The incumbent comes first: the build's choice without this run. It is the winner of the last finals, else the
// analytic default, else the fastest. At most `challengers` others follow by least sample, noisy ones included. None
// is more than 10 % slower than the fastest of all, so a clear lead makes the finals small. Empty if there is no
// challenger.
std::vector<Proposal> ChooseFinalists(const TuningTask& task, int challengers);

}  // namespace hone
