// Who wins the finals of a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/median_interval.h"

namespace hone {

// Of one finalist.
struct Standing {
  int place = 0;         // 1: the winner; the others by time
  MedianInterval ns;     // of its processes' least samples
  double p = 1;          // against the incumbent, corrected for the number of challengers; 1 for itself
  double gain = 0;       // share of the incumbent's time that it saves; negative: it is slower
  bool differs = false;  // p < 0.05 and at least 1 % off, either way
};

struct FinalsVerdict {
  size_t winner = 0;
  std::vector<Standing> standings;  // by finalist
};

// least_ns[f][r]: the least sample of finalist f's process in round r. A process counts as one observation: its samples
// share its addresses, so that tests over pooled samples call a kernel different from itself (docs/measuring.md). The
// fastest challenger that differs from the incumbent (Mann-Whitney, Bonferroni's correction) replaces it; if none does,
// the incumbent wins, however the medians lie. No list may be empty.
FinalsVerdict RankFinalists(const std::vector<std::vector<int64_t>>& least_ns, size_t incumbent);

}  // namespace hone
