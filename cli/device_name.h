// What people read of a machine.
#pragma once

#include <set>
#include <string>

#include "db/record.h"
#include "db/trial_row.h"

namespace hone {

// The CPU model; without one LLVM's name of the CPU, else of the target's.
std::string ModelName(const TrialRow& row);

// What machine timed the record: its CPU model, which others may share, and the fingerprint's short id, which they do
// not: "AMD EPYC #f5b39a1c". Without a model LLVM's name of the CPU, else of the target's.
std::string MachineName(const Record& record);
std::string MachineName(const TrialRow& row);

// The fingerprint's text, or the name where it is not known: what has another key is another machine.
std::string MachineKey(const TrialRow& row);
std::string MachineKey(const Record& record);

// Where it stands: "KEY/LABEL" of its runner at a tracker, else its host; empty when neither is known.
std::string RunnerName(const Environment& environment);
std::string RunnerName(const TrialRow& row);

// A machine and where it, or those that are exactly alike, stand: "AMD EPYC #f5b39a1c (boards/a, boards/b, ...)".
std::string DeviceName(const std::string& machine, const std::set<std::string>& runners);
std::string DeviceName(const Record& record);
std::string DeviceName(const TrialRow& row);

}  // namespace hone
