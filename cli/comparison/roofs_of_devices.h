// Where the roofs of compared machines come from.
#pragma once

#include <functional>

#include "cli/comparison/comparison.h"
#include "rpc_runner/health/roofs.h"

namespace hone {

// The row for so many threads: of the least that are at least as many, else of the most; zeros where there is none.
MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads);

// Measured where the device is this very machine (0.3 s a row, once) and comes near what is assumed of its kind, which
// it does not while others keep it busy; else AssumedRoofs.
std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere();

}  // namespace hone
