// Roofs of compared machines.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lab/comparison/comparison.h"
#include "rpc_runner/health/roofs.h"

namespace hone {

// The roofs for this number of threads: the row with the least number that suffices, else the one with the most. Zeros
// if there are no rows. Of several rows with equal threads, the maximum of each roof counts, because a busy machine
// measures too little.
MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads);

// The roofs measured on the device, for its threads. nullopt if they are far below those assumed for its kind, as when
// other programs keep the machine busy.
std::optional<MachineRoofs> CredibleRoofs(const std::vector<Roof>& measured, const ComparedDevice& device);

// CredibleRoofs, measured once (0.3 s a row), if the device is this machine; else AssumedRoofs.
std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere();

}  // namespace hone
