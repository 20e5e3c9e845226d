// Where the roofs of compared machines come from.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cli/comparison/comparison.h"
#include "rpc_runner/health/roofs.h"

namespace hone {

// The row for so many threads: of the least that are at least as many, else of the most; zeros where there is none. Of
// several rows for as many the greatest of each roof: a busy machine shows less than it can.
MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads);

// What was measured on the device, for its threads. Nothing where it does not come near what is assumed of the device's
// kind, as it does not while others keep a machine busy.
std::optional<MachineRoofs> CredibleRoofs(const std::vector<Roof>& measured, const ComparedDevice& device);

// CredibleRoofs measured now (0.3 s a row, once) where the device is this very machine; else AssumedRoofs.
std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere();

}  // namespace hone
