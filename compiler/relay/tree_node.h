// How a node of tree_ensemble is packed: what its converter writes and its kernel reads.
//
//   word 0                             word 1              word 2           word 3
//   feature << 4 | outcomes (TreeOutcome)   threshold, a float's bits   the true child   the false child
//
// A child that is not negative is a node, any other ~leaf.
#pragma once

#include <cstdint>

namespace hone::relay {

// What a feature's value is beside the threshold. A node has a set of them, for which its true child is taken. The
// numbers are those of LLVM's predicates, whose unions compare in one instruction.
enum TreeOutcome : uint8_t { kEqual = 1, kGreater = 2, kLess = 4, kUnordered = 8 };

inline constexpr int kTreeNodeWords = 4;
inline constexpr int kTreeOutcomeBits = 4;
inline constexpr int64_t kAllTreeOutcomes = (1 << kTreeOutcomeBits) - 1;
inline constexpr int64_t kMostTreeFeatures = int64_t{1} << (31 - kTreeOutcomeBits);

}  // namespace hone::relay
