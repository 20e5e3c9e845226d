// The packed form of a tree_ensemble's node, written by the converter and read by the kernel.
//
//   word 0                                  word 1                      word 2           word 3
//   feature << 4 | outcomes (TreeOutcome)   threshold, a float's bits   the true child   the false child
//
// A child that is not negative is a node, a negative one is ~leaf.
#pragma once

#include <cstdint>

namespace hone::relay {

// The outcomes of comparing a feature's value with the threshold. A node has a set of outcomes for which its true child
// is taken. The numbers are those of LLVM's predicates, so that one instruction compares for a set.
enum TreeOutcome : uint8_t { kEqual = 1, kGreater = 2, kLess = 4, kUnordered = 8 };

inline constexpr int kTreeNodeWords = 4;
inline constexpr int kTreeOutcomeBits = 4;
inline constexpr int64_t kAllTreeOutcomes = (1 << kTreeOutcomeBits) - 1;
inline constexpr int64_t kMostTreeFeatures = int64_t{1} << (31 - kTreeOutcomeBits);

}  // namespace hone::relay
