// The table behind MachineModelFor, one row per vector instruction set.
#pragma once

#include <string_view>
#include <vector>

#include "core/target.h"

namespace hone {

// What a row's required_features name is what chooses it: they are all there, given by the target or by its CPU.
struct MachineRow {
  std::string_view architecture;  // "x86_64", "aarch64", "riscv64", "arm" or "plain"
  MachineModel model;
};

// The rows, the most modest of each architecture first. Every architecture has one.
const std::vector<MachineRow>& MachineRows();

// Of `rows` the last of the target's architecture that its features allow, else the first; with the CPU's caches where
// it is known, and for one thread. The rows must have the target's architecture.
MachineModel ModelAmong(const std::vector<MachineRow>& rows, const Target& target);

}  // namespace hone
