// Overlaps in the memory of a session's inputs and outputs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace hone {

// The memory of one input or output.
struct MemorySpan {
  const char *begin = nullptr, *end = nullptr;
  int buffer = 0;        // of the plan
  bool written = false;  // by a run
};

// The plan's buffers of a written span and of another that overlaps it. Sorts the spans. Allocates nothing.
std::optional<std::pair<int, int>> FindOverlap(std::vector<MemorySpan>& spans);

}  // namespace hone
