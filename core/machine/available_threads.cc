#include "core/machine/available_threads.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace hone {

void ForEachOnThreads(int threads, size_t count, const std::function<void(size_t)>& each) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) each(i);
  };
  // The futures' destructors wait for the threads, whatever is thrown.
  std::vector<std::future<void>> helpers;
  const size_t wanted = std::min(static_cast<size_t>(std::max(threads, 1)), count);
  try {
    while (helpers.size() + 1 < wanted) helpers.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
    // The threads that did start take over the rest of the work.
  }
  work();
  for (std::future<void>& helper : helpers) helper.get();
}

}  // namespace hone
