// Threads that run a kernel's stages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hone {

// A pool's reaction to a helper that keeps others waiting because the system has given its core to another thread.
enum class Crowding {
  kYield,  // the helper stays away a hundred times as long: a busy neighbour costs about a hundredth
  kStay,   // none: times are those of all threads
};

// A pool of `threads` workers; the caller is worker 0. Helpers spin for a short time, then sleep. Workers set FTZ and
// DAZ. One Run at a time.
class ThreadPool {
 public:
  // `pin` binds each worker to one CPU, in the order of CpusToPin. The caller comes first there but is not bound.
  explicit ThreadPool(int threads, bool pin = false, Crowding crowding = Crowding::kYield);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  // Calls work(worker) once on every worker's own thread and waits for all. Allocates nothing. work must not throw.
  void RunOnEach(const std::function<void(int worker)>& work);
  // Calls work(worker, begin, end) for ranges that make up [0, parts), on the threads that are available. A worker
  // takes a contiguous share first, then parts that others have not begun. Waits only for parts that were begun. There
  // are at most WorkShares::kMostPartsOfShare parts per thread. Allocates nothing. work must not throw.
  using PartsWork = std::function<void(int worker, int begin, int end)>;
  void RunParts(int parts, const PartsWork& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hone
