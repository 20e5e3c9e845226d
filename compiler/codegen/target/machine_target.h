// A target from a machine's description of itself. No LLVM types in the header.
#pragma once

#include <string>

#include "core/machine/target.h"
#include "core/measurement.h"

namespace hone {

// The machine's architecture, its CPU by LLVM's name, and its cores. A feature that the CPU's name implies and the
// machine lacks is "-feature"; an additional one is "+feature". Throws Error(kBadConfig) if the description has no CPU.
Target TargetOf(const Environment& machine);

// Why kernels for the target cannot run there on `threads` threads, such as "5 threads were asked for, it has 4 cores".
// Empty if they can. A property that the machine does not report is no reason.
std::string WhyNotOn(const Environment& machine, const Target& target, int threads);

}  // namespace hone
