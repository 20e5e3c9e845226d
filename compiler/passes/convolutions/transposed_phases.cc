#include "compiler/passes/convolutions/transposed_phases.h"

#include <algorithm>
#include <numeric>

#include "core/ceil_div.h"

namespace hone {
namespace {

// Position of the first output's first tap.
int64_t First(const ConvPhase& phase) { return -phase.before; }

// Sets the padding for a window of `taps` taps that begins at `first`.
void Place(ConvPhase& phase, int64_t first, int64_t taps, int64_t data) {
  phase.before = -first;
  phase.after = first + phase.outputs - 1 + phase.dilation * (taps - 1) - (data - 1);
}

// Removes the taps at either end that see no data from any output.
void Trim(ConvPhase& phase, int64_t data) {
  int64_t first = First(phase);
  while (!phase.taps.empty() && first + phase.outputs - 1 < 0) {
    phase.taps.erase(phase.taps.begin());
    first += phase.dilation;
  }
  const auto last = [&] { return first + phase.dilation * (static_cast<int64_t>(phase.taps.size()) - 1); };
  while (!phase.taps.empty() && last() >= data) phase.taps.pop_back();
  Place(phase, first, static_cast<int64_t>(phase.taps.size()), data);
}

ConvPhase PhaseOf(const TransposedAxis& axis, int64_t phase, int64_t outputs) {
  const int64_t at = phase + axis.padding;  // among the outputs before the padding is cut off
  ConvPhase p;
  p.outputs = outputs;
  p.dilation = axis.dilation / std::gcd(axis.dilation, axis.stride);
  for (int64_t tap = axis.kernel - 1; tap >= 0; --tap) {
    if ((at - tap * axis.dilation) % axis.stride == 0) p.taps.push_back(tap);
  }
  if (p.taps.empty()) return p;
  p.before = -((at - p.taps[0] * axis.dilation) / axis.stride);
  Trim(p, axis.data);
  return p;
}

}  // namespace

ConvPhase PhaseOf(const TransposedAxis& axis, int64_t phase) {
  return PhaseOf(axis, phase, CeilDiv(axis.result - phase, axis.stride));
}

std::vector<ConvPhase> PhasesOf(const TransposedAxis& axis) {
  std::vector<ConvPhase> phases;
  for (int64_t phase = 0; phase < std::min(axis.stride, axis.result); ++phase) phases.push_back(PhaseOf(axis, phase));
  return phases;
}

JointPhases JointPhasesOf(const TransposedAxis& axis) {
  TransposedAxis whole = axis;
  JointPhases joint;
  joint.shift = axis.padding % axis.stride;
  whole.padding -= joint.shift;
  const int64_t outputs = CeilDiv(axis.result + joint.shift, axis.stride);
  int64_t first = axis.data, end = -axis.data;
  for (int64_t phase = 0; phase < axis.stride; ++phase) {
    const ConvPhase p = PhaseOf(whole, phase, outputs);
    joint.phases.push_back(p);
    if (p.taps.empty()) continue;
    first = std::min(first, First(p));
    end = std::max(end, First(p) + p.dilation * static_cast<int64_t>(p.taps.size()));
  }
  const int64_t dilation = joint.phases[0].dilation, window = first < end ? (end - first) / dilation : 0;
  for (ConvPhase& p : joint.phases) {
    if (!p.taps.empty() && (First(p) - first) % dilation != 0) return joint;
    const int64_t ahead = p.taps.empty() ? 0 : (First(p) - first) / dilation;
    p.taps.insert(p.taps.begin(), static_cast<size_t>(ahead), -1);
    p.taps.resize(static_cast<size_t>(window), -1);
    Place(p, first, window, axis.data);
  }
  joint.window = window;
  return joint;
}

}  // namespace hone
