// LLVM's command-line options are one set per process, and lld sets them all anew while it links.
#pragma once

#include <shared_mutex>

namespace hone {

// Held shared while code is generated and exclusively while lld runs: code generation that saw an option in between
// would give other bytes for the same kernel. lld is not re-entrant either.
std::shared_mutex& LlvmOptionsLock();

}  // namespace hone
