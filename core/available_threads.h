// Work on as many threads as the system gives: where it refuses one, the work is done all the same.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

namespace hone {

// each(0) to each(count - 1), in any order, on at most `threads` threads, of which the caller's is one; fewer where the
// system gives no more. Returns when all are done, and throws what one of them threw; the others are done all the same
// or not begun.
void ForEachOnThreads(int threads, size_t count, const std::function<void(size_t)>& each);

// Runs `work` on a thread of its own; where the system gives none, once the future is asked for the result.
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
