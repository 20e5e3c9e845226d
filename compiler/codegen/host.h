// The machine we run on, as a target. No LLVM types in the header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/target.h"

namespace hone {

// Triple, CPU name and the cores that affinity and the cgroup allow.
Target HostTarget();
// "host", a name of NamedTargets, a CPU that LLVM knows by that name, a triple, or Target::Parse. Throws Error(kUsage)
// also for a triple, CPU or feature that LLVM does not know, with the nearest, and for RISC-V without what kernels
// need.
Target ResolveTarget(std::string_view text);
// Adds what LLVM knows of a CPU that the table of rows lacks, so that MachineModelFor, which has no LLVM, sees the same
// machine: those of NamedFeatures that the CPU has, as "+feature", and those that a row would take for granted and it
// lacks, as "-feature". Leaves other targets alone.
void SpellOutFeatures(Target& target);
// Whether the host can run code for the target: the first missing feature, or empty.
std::string MissingFeature(const Target& target);
// The features that kernels are made for, of every architecture, in LLVM's names.
const std::vector<std::string>& NamedFeatures();
// Those of NamedFeatures that the target's CPU and mattr imply.
std::vector<std::string> ImpliedFeatures(const Target& target);

}  // namespace hone
