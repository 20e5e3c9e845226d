// A transposed convolution along one axis, seen from its outputs: those at the same position modulo the stride see the
// same taps, and are a convolution of stride 1.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

// Input i meets tap k at output i * stride + k * dilation - padding. Extents are positive.
struct TransposedAxis {
  int64_t data = 1;
  int64_t result = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padding = 0;  // cut off in front
};

// The convolution of some outputs. Tap j of its window is tap taps[j] of the weight. Without taps no output sees data.
struct ConvPhase {
  std::vector<int64_t> taps;
  int64_t dilation = 1;
  int64_t outputs = 1;
  // Padding; negative where so much of the data is left out.
  int64_t before = 0;
  int64_t after = 0;
};

// The outputs phase, phase + stride, ... For a kernel of 3, a stride of 2 and a padding of 1:
//
//   data          0   1   2        phase 0: tap 1 alone
//   outputs       0 1 2 3 4        phase 1: taps 2 and 0, no padding before, one behind
//   taps seen     1 2 1 2 1
//                   0   0
ConvPhase PhaseOf(const TransposedAxis& axis, int64_t phase);
// All of them, of which there are no more than outputs.
std::vector<ConvPhase> PhasesOf(const TransposedAxis& axis);

// The same window for every phase, `window` taps each, -1 where a phase has none: what one convolution needs to compute
// them as channels. Outputs are counted from `shift` before the first one, so that few taps are added, and as many
// for each phase. No window where the taps of two phases lie between each other's.
struct JointPhases {
  std::vector<ConvPhase> phases;
  int64_t window = 0;
  int64_t shift = 0;
};
JointPhases JointPhasesOf(const TransposedAxis& axis);

}  // namespace hone
