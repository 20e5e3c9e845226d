// A machine that describes itself, as a target. No LLVM types in the header.
#pragma once

#include <string>

#include "core/measurement.h"
#include "core/target.h"

namespace hone {

// Its architecture, its CPU as LLVM knows it, and its cores. A feature that the CPU's name implies and the machine
// lacks is "-feature", one that it has beyond them "+feature". Throws Error(kBadConfig) when it does not tell its CPU.
Target TargetOf(const Environment& machine);

// Why kernels for the target cannot run there on so many threads, as "5 threads were asked for, it has 4 cores"; empty
// when they can. What the machine does not tell is no reason.
std::string WhyNotOn(const Environment& machine, const Target& target, int threads);

}  // namespace hone
