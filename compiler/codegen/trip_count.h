// How often the loops run that KernelBuilder makes.
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Loop;
class ScalarEvolution;
}  // namespace llvm

namespace hone {

// How often the loop goes on after a trip: at most, where that differs from time to time. nullopt where no bound is
// known that is less than 2^30, as when data decide.
std::optional<uint32_t> TripsAfterTheFirst(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

}  // namespace hone
