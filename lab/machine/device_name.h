// Names of machines for people.
#pragma once

#include <set>
#include <string>

#include "db/record.h"
#include "db/trial_row.h"

namespace hone {

// The CPU model. If it is unknown, LLVM's name of the CPU, else that of the target.
std::string ModelName(const TrialRow& row);

// The machine that timed the record: "AMD EPYC #f5b39a1c". That is its CPU model, which others may share, and the
// fingerprint's short id, which is its own. Without a model, LLVM's name of the CPU, else that of the target.
std::string MachineName(const Record& record);
std::string MachineName(const TrialRow& row);

// The fingerprint's text, or the name if it is unknown: machines with different keys are different.
std::string MachineKey(const TrialRow& row);
std::string MachineKey(const Record& record);

// The machine's place: "KEY/LABEL" of its runner at a tracker, else its host; empty if neither is known.
std::string RunnerName(const Environment& environment);
std::string RunnerName(const TrialRow& row);

// A machine with its places and those of exact copies: "AMD EPYC #f5b39a1c (boards/a, boards/b, ...)".
std::string DeviceName(const std::string& machine, const std::set<std::string>& runners);
std::string DeviceName(const Record& record);
std::string DeviceName(const TrialRow& row);

}  // namespace hone
