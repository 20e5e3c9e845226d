// Trip counts of the loops that KernelBuilder makes.
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Loop;
class ScalarEvolution;
}  // namespace llvm

namespace hone {

// The number of iterations after the first one; the greatest number, if it varies. Returns nullopt if no bound below
// 2^30 is known, such as when data decide.
std::optional<uint32_t> TripsAfterTheFirst(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

}  // namespace hone
