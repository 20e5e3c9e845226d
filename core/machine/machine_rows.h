// The table behind MachineModelFor, one row per vector instruction set.
#pragma once

#include <string_view>
#include <vector>

#include "core/machine/target.h"

namespace hone {

// A row is chosen if the target or its CPU has all features in the row's required_features.
struct MachineRow {
  std::string_view architecture;  // "x86_64", "aarch64", "riscv64", "arm" or "plain"
  MachineModel model;
};

// The rows, the most modest of each architecture first. Every architecture has one.
const std::vector<MachineRow>& MachineRows();

// The last of `rows` of the target's architecture that its features allow, else the first. It has the CPU's caches if
// the CPU is known, and is for one thread. The rows must include the target's architecture.
MachineModel ModelAmong(const std::vector<MachineRow>& rows, const Target& target);

}  // namespace hone
