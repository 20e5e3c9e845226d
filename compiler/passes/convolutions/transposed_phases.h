// A transposed convolution along one axis, seen from its outputs. Outputs with the same position modulo the stride see
// the same taps, and form a convolution of stride 1.
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

// The convolution that computes some of the outputs. Tap j of its window is tap taps[j] of the weight. If it has no
// taps, no output sees data.
struct ConvPhase {
  std::vector<int64_t> taps;
  int64_t dilation = 1;
  int64_t outputs = 1;
  // Padding; negative if that many elements of the data are left out.
  int64_t before = 0;
  int64_t after = 0;
};

// The outputs phase, phase + stride, ... For a kernel of 3, a stride of 2 and a padding of 1:
//
//    data          0   1   2        phase 0: only tap 1
//    outputs       0 1 2 3 4        phase 1: taps 2 and 0, no padding before, one behind
//    taps seen     1 2 1 2 1
//                    0   0
ConvPhase PhaseOf(const TransposedAxis& axis, int64_t phase);
// All phases, at most as many as outputs.
std::vector<ConvPhase> PhasesOf(const TransposedAxis& axis);

// All phases with the same window of `window` taps, -1 where a phase has none, so that one convolution can compute them
// as channels. Outputs are counted from `shift` before the first one, which adds few taps and gives each phase the same
// number of outputs. `window` is 0 if the taps of two phases interleave.
struct JointPhases {
  std::vector<ConvPhase> phases;
  int64_t window = 0;
  int64_t shift = 0;
};
JointPhases JointPhasesOf(const TransposedAxis& axis);

}  // namespace hone
