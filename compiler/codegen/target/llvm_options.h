// LLVM's command-line options: a process has one set of them, and lld resets them all while it links.
#pragma once

#include <array>
#include <shared_mutex>

namespace hone {

// Held shared while code is generated and exclusively while lld runs. Code generation that saw an option in between
// would give different bytes for the same kernel. lld is not re-entrant either.
std::shared_mutex& LlvmOptionsLock();

struct LlvmOption {
  const char* name;
  bool value;
  const char* argument;  // the option on a command line
};

// The options of code generation. Loop strength reduction makes code generation of clipped loops several times slower
// and no kernel faster. The machine combiner of x86 reorders sums of integers: it adds them in pairs before it adds
// them to the accumulator. That takes registers that a tile does not have.
inline constexpr std::array kLlvmOptions = {
    LlvmOption{"disable-lsr", true, "-disable-lsr"},
    LlvmOption{"x86-machine-combiner", false, "-x86-machine-combiner=false"},
};

}  // namespace hone
