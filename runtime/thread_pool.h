// Threads that run a kernel's stages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hone {

// What a pool does about a helper that keeps the others waiting because the system has given its core to someone else.
enum class Crowding {
  kYield,  // the helper stays away for a hundred times as long, so that a busy neighbour costs about a hundredth
  kStay,   // nothing: times are those of all threads
};

// A pool of `threads` workers, the caller being worker 0. Helpers spin a little, then sleep. Workers set FTZ and DAZ.
// One Run at a time.
class ThreadPool {
 public:
  // pin: each worker is bound to one CPU, in the order of CpusToPin (the caller, who is the first, is not bound).
  explicit ThreadPool(int threads, bool pin = false, Crowding crowding = Crowding::kYield);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  // Calls work(worker) once on every worker's own thread and waits for all. Allocates nothing. work must not throw.
  void RunOnEach(const std::function<void(int worker)>& work);
  // Calls work(worker, begin, end) for ranges that make up [0, parts), on whichever threads are there: a worker has a
  // contiguous share first, then takes over what others have not begun. Waits only for parts that were begun.
  // parts: at most WorkShares::kMostPartsOfShare a thread. Allocates nothing. work must not throw.
  using PartsWork = std::function<void(int worker, int begin, int end)>;
  void RunParts(int parts, const PartsWork& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Sets flush-to-zero and denormals-are-zero for this thread while it lives, and restores what was.
class DenormalsOff {
 public:
  DenormalsOff();
  ~DenormalsOff();

 private:
  uint64_t saved_;
};

}  // namespace hone
