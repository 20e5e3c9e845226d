// This machine, as a target. No LLVM types in the header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine/target.h"

namespace hone {

// Triple, CPU name and the number of cores that affinity and the cgroup allow.
Target HostTarget();
// Takes "host", a name in NamedTargets or Nicknames, LLVM's name of a CPU, a triple, or a text for Target::Parse.
// Throws Error(kUsage) as Parse does, and for a triple, CPU or feature that LLVM does not know, with the nearest name.
// Also throws it for RISC-V without the features that kernels need.
Target ResolveTarget(std::string_view text);
// Makes the target say what LLVM knows about a CPU and the table of rows lacks. MachineModelFor, which has no LLVM,
// then sees the same machine. The NamedFeatures that the CPU has are added as "+feature"; those that a row assumes and
// the CPU lacks as "-feature". Other targets stay as they are.
void SpellOutFeatures(Target& target);
// The first feature of the target that the host lacks; empty if the host can run its code.
std::string MissingFeature(const Target& target);
// The features that kernels are made for, of every architecture, by LLVM's names.
const std::vector<std::string>& NamedFeatures();
// The NamedFeatures that the target's CPU and mattr imply.
std::vector<std::string> ImpliedFeatures(const Target& target);

}  // namespace hone
