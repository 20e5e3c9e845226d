// Threads that run a kernel's stages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace hone {

// A pool of `threads` workers, the caller being worker 0. Static partition; helpers spin a little, then sleep. Workers
// set FTZ and DAZ. One Run at a time.
class ThreadPool {
 public:
  // pin: each worker is bound to one CPU, in the order of CpusToPin (the caller, who is the first, is not bound).
  explicit ThreadPool(int threads, bool pin = false);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  // Calls work(worker) on every worker and waits for all. Allocates nothing. work must not throw.
  void Run(const std::function<void(int worker)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The part of [0, extent) that is worker's share: contiguous, cut at multiples of grain, as even as can be.
struct WorkRange {
  int64_t begin = 0;
  int64_t end = 0;
};
WorkRange ShareOf(int64_t extent, int64_t grain, int worker, int workers);

// Sets flush-to-zero and denormals-are-zero for this thread while it lives, and restores what was.
class DenormalsOff {
 public:
  DenormalsOff();
  ~DenormalsOff();

 private:
  uint64_t saved_;
};

}  // namespace hone
