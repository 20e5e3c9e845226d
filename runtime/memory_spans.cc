#include "runtime/memory_spans.h"

#include <algorithm>
#include <tuple>

namespace hone {

// Compares each span with the earlier span that reaches furthest: among all spans for a written one, among written ones
// for another.
std::optional<std::pair<int, int>> FindOverlap(std::vector<MemorySpan>& spans) {
  std::sort(spans.begin(), spans.end(), [](const MemorySpan& a, const MemorySpan& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  MemorySpan furthest, furthest_written;
  for (const MemorySpan& span : spans) {
    const MemorySpan& before = span.written ? furthest : furthest_written;
    if (before.end > span.begin && before.buffer != span.buffer) {
      return span.written ? std::pair(span.buffer, before.buffer) : std::pair(before.buffer, span.buffer);
    }
    if (span.end > furthest.end) furthest = span;
    if (span.written && span.end > furthest_written.end) furthest_written = span;
  }
  return std::nullopt;
}

}  // namespace hone
