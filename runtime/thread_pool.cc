#include "runtime/thread_pool.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "runtime/allowed_cores.h"
#include "runtime/session.h"

namespace hone {
namespace {

constexpr std::chrono::microseconds kSpin{50};

void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// Spins until done() or the spin time is over; the clock is read rarely, so that the word's cache line is what is
// watched.
template <typename Done>
bool SpinFor(std::chrono::microseconds time, const Done& done) {
  if (time.count() == 0) return done();
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      Relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

void PinThread(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= CPU_SETSIZE) return;
  CPU_SET(cpu, &set);
  // A cpuset may have shrunk since we asked: unpinned is slower, not wrong.
  (void)pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);
}

}  // namespace

struct ThreadPool::State {
  int threads = 1;
  std::chrono::microseconds spin{0};
  std::vector<std::thread> helpers;
  const std::function<void(int)>* work = nullptr;
  bool stopping = false;
  // Each on its own line: helpers watch one while they count down the other.
  alignas(64) std::atomic<uint32_t> epoch{0};
  alignas(64) std::atomic<int32_t> running{0};

  void Start(const std::function<void(int)>* next) {
    work = next;
    running.store(static_cast<int32_t>(helpers.size()), std::memory_order_relaxed);
    epoch.fetch_add(1, std::memory_order_release);
    epoch.notify_all();
  }

  void WaitForHelpers() {
    const auto done = [this] { return running.load(std::memory_order_acquire) == 0; };
    if (SpinFor(spin, done)) return;
    for (int32_t left = running.load(std::memory_order_acquire); left != 0;
         left = running.load(std::memory_order_acquire)) {
      running.wait(left, std::memory_order_acquire);
    }
  }

  void Help(int worker) {
    const DenormalsOff off;
    for (uint32_t seen = 0;; ++seen) {
      if (!SpinFor(spin, [&] { return epoch.load(std::memory_order_acquire) != seen; })) {
        epoch.wait(seen, std::memory_order_acquire);
      }
      if (stopping) return;
      (*work)(worker);
      if (running.fetch_sub(1, std::memory_order_acq_rel) == 1) running.notify_one();
    }
  }

  void Stop() {
    stopping = true;
    Start(nullptr);
    for (std::thread& helper : helpers) helper.join();
  }
};

ThreadPool::ThreadPool(int threads, bool pin) : state_(std::make_unique<State>()) {
  if (threads < 1 || threads > 4096) {
    throw Error(ExitCode::kUsage, fmt::format("{} threads were asked for; 1 to 4096 would be right", threads));
  }
  state_->threads = threads;
  // With fewer cores than threads a spinning worker keeps the one it waits for from running.
  if (AllowedCores() >= threads) state_->spin = kSpin;
  const std::vector<int> cpus = pin ? CpusToPin() : std::vector<int>();
  state_->helpers.reserve(static_cast<size_t>(threads) - 1);
  try {
    for (int worker = 1; worker < threads; ++worker) {
      state_->helpers.emplace_back([state = state_.get(), worker] { state->Help(worker); });
      if (pin && !cpus.empty()) PinThread(state_->helpers.back(), cpus[static_cast<size_t>(worker) % cpus.size()]);
    }
  } catch (const std::system_error& error) {
    const size_t got = state_->helpers.size() + 1;
    state_->Stop();
    throw Error(ExitCode::kIo, fmt::format("the system gave {} of {} threads: {}", got, threads, error.what()));
  }
}

ThreadPool::~ThreadPool() { state_->Stop(); }

int ThreadPool::threads() const { return state_->threads; }

void ThreadPool::Run(const std::function<void(int)>& work) {
  const DenormalsOff off;
  if (!state_->helpers.empty()) state_->Start(&work);
  work(0);
  if (!state_->helpers.empty()) state_->WaitForHelpers();
}

WorkRange ShareOf(int64_t extent, int64_t grain, int worker, int workers) {
  const int64_t step = std::max<int64_t>(grain, 1);
  const int64_t pieces = extent / step + (extent % step != 0);
  const int64_t each = pieces / workers, more = pieces % workers;
  const int64_t first = worker * each + std::min<int64_t>(worker, more);
  const int64_t last = first + each + (worker < more);
  // The last piece may be short, so its end in items could pass the extent (and the largest integer).
  return {first < pieces ? first * step : extent, last < pieces ? last * step : extent};
}

}  // namespace hone
