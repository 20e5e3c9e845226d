// Work on as many threads as the system provides. If it refuses one, the other threads do the work.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

namespace hone {

// Calls each(0) to each(count - 1), in any order, on at most `threads` threads including the caller's, or fewer if the
// system provides no more. Returns when all calls are done. Rethrows an exception of a call; the other calls are then
// finished or were never begun.
void ForEachOnThreads(int threads, size_t count, const std::function<void(size_t)>& each);

// Runs `work` on a thread of its own. If the system provides none, it runs when the future is asked for its result.
template <typename Work>
auto AsideOrLater(Work work) {
  const auto shared = std::make_shared<Work>(std::move(work));
  const auto call = [shared] { return (*shared)(); };
  try {
    return std::async(std::launch::async, call);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, call);
  }
}

}  // namespace hone
