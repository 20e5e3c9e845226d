#include "rpc_runner/executor/judge/believable_times.h"

namespace hone {

bool AreBelievable(const ChildNote& note, int64_t wall_ns) {
  if (note.samples < 1 || note.samples > kMaxNoteSamples) return false;
  int64_t left_ns = wall_ns;
  for (int i = 0; i < note.samples; ++i) {
    const int64_t ns = note.samples_ns[i], batch = note.batch[i];
    // Divides, because the product may overflow.
    if (ns < 1 || batch < 1 || ns > left_ns / batch) return false;
    left_ns -= ns * batch;
  }
  return true;
}

std::optional<int64_t> BelievableSum(std::span<const int64_t> calls_ns, int64_t wall_ns) {
  int64_t sum_ns = 0;
  for (const int64_t ns : calls_ns) {
    if (ns < 0 || ns > wall_ns - sum_ns) return std::nullopt;
    sum_ns += ns;
  }
  return sum_ns;
}

}  // namespace hone
