// LLVM's command-line options are one set per process, and lld sets them all anew while it links.
#pragma once

#include <array>
#include <shared_mutex>

namespace hone {

// Held shared while code is generated and exclusively while lld runs: code generation that saw an option in between
// would give other bytes for the same kernel. lld is not re-entrant either.
std::shared_mutex& LlvmOptionsLock();

struct LlvmOption {
  const char* name;
  bool value;
  const char* argument;  // the same for a command line
};

// What kernels are generated with. Loop strength reduction makes code generation of clipped loops several times slower
// and no kernel faster. x86's machine combiner adds sums of whole numbers in another order, two by two before they meet
// the accumulator, which takes registers that a tile has not.
inline constexpr std::array kLlvmOptions = {
    LlvmOption{"disable-lsr", true, "-disable-lsr"},
    LlvmOption{"x86-machine-combiner", false, "-x86-machine-combiner=false"},
};

}  // namespace hone
