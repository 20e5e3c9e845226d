// The tables behind MachineModelFor: a row of figures for each vector instruction set, and the costs of arithmetic and
// loads of named CPUs, with their sources.
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

// Sets the model's times to those of a CPU, by LLVM's name. A row's name sets those of a CPU of which only its row of
// figures is known. Returns false and changes nothing for a name that is not in the table, such as all of x86-64.
// Those have the defaults of core/machine/target.h, fitted on a Zen 5 core.
bool SetCosts(std::string_view name, MachineModel& model);

// Whether one instruction that reads a vector's lanes from anywhere is faster than a load for each lane, on a CPU by
// LLVM's name. False for a CPU that is not in the table.
bool HasFastGathers(std::string_view cpu);

// The source of a name's figures: a document, or "assumed". Empty for a name that is not in the table.
std::string_view CostsFrom(std::string_view name);

}  // namespace hone
