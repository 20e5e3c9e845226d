#include "runtime/threads/thread_pool.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"
#include "runtime/session.h"
#include "runtime/threads/allowed_cores.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/work_shares.h"

namespace hone {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::chrono::microseconds kSpin{50};
// Waking sleepers costs the caller 2 to 5 us.
constexpr std::chrono::microseconds kBetweenWakes{100};

void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// Spins until done() or until the time is over. The clock is read rarely, so that the loop mostly watches done()'s
// cache line.
template <typename Done>
bool SpinFor(std::chrono::microseconds time, const Done& done) {
  if (time.count() == 0) return done();
  const auto end = SteadyClock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      Relax();
    }
  } while (SteadyClock::now() < end);
  return done();
}

void PinThread(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= CPU_SETSIZE) return;
  CPU_SET(cpu, &set);
  // A cpuset may have shrunk since it was read. An unpinned thread is slower, not wrong.
  (void)pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);
}

}  // namespace

struct ThreadPool::State {
  struct alignas(64) Helper {
    std::thread thread;
    CoreClock clock;
    int64_t waited_from_ns = 0;  // its own clock when the caller last began to wait for it; -1: it held no part then
    int64_t core_losses = 0;     // as of its last wake-up; used only by this helper
    std::atomic<int64_t> away_ns{0};  // time to stay away if its core was taken
  };

  explicit State(int count) : threads(count), shares(count), helpers(new Helper[static_cast<size_t>(count)]) {}

  const int threads;
  std::chrono::microseconds spin{0};
  bool yields = true;
  WorkShares shares;
  std::unique_ptr<Helper[]> helpers;  // indexed by worker; the caller's is not used
  int started = 1;                    // the caller and the helpers that run
  SteadyClock::time_point last_wake;
  const PartsWork* work = nullptr;  // changes only while no part is held
  std::mutex mutex;
  std::condition_variable recall;  // wakes helpers that are away when all are needed
  bool recalled = false;           // guarded by the mutex
  // Each has its own cache line: helpers watch one while they work on the other.
  alignas(64) std::atomic<uint32_t> epoch{0};
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<int> asleep{0};
  std::atomic<int> away{0};

  // Wakes sleepers if `wake` is set. A thread that sees the new epoch also sees the parts that were dealt before.
  void Announce(bool wake) {
    epoch.fetch_add(1, std::memory_order_seq_cst);
    if (!wake || asleep.load(std::memory_order_seq_cst) == 0) return;
    last_wake = SteadyClock::now();
    epoch.notify_all();
  }

  bool WakeIsDue() const {
    return asleep.load(std::memory_order_relaxed) > 0 && SteadyClock::now() - last_wake >= kBetweenWakes;
  }

  bool Alone() const {
    return asleep.load(std::memory_order_relaxed) + away.load(std::memory_order_relaxed) == started - 1;
  }

  void RunParts(int parts, const PartsWork& next) {
    const bool wake = !yields || WakeIsDue();
    if (started == 1 || (!wake && Alone())) return next(0, 0, parts);
    work = &next;
    shares.Deal(parts, WorkShares::Takers::kAnyone);
    Announce(wake);
    WorkOff(0);
    WaitForOthers();
  }

  void RunOnEach(const PartsWork& next) {
    work = &next;
    shares.Deal(threads, WorkShares::Takers::kOwner);
    Recall(true);
    Announce(true);
    WorkOff(0);
    shares.WaitUntilDone();
    Recall(false);
  }

  void WorkOff(int worker) {
    while (const std::optional<int> part = shares.Begin(worker)) {
      (*work)(worker, *part, *part + 1);
      shares.End(worker);
    }
  }

  void WaitForOthers() {
    if (SpinFor(spin, [this] { return shares.Done(); })) return;
    if (!yields) return shares.WaitUntilDone();
    for (int i = 1; i < started; ++i) helpers[i].waited_from_ns = shares.Holds(i) ? helpers[i].clock.Ns() : -1;
    const SteadyClock::time_point begin = SteadyClock::now();
    shares.WaitUntilDone();
    const int64_t waited_ns = nanoseconds(SteadyClock::now() - begin).count();
    for (int i = 1; i < started; ++i) Suspect(helpers[i], waited_ns);
  }

  static void Suspect(Helper& helper, int64_t waited_ns) {
    if (helper.waited_from_ns < 0) return;
    const int64_t ran_ns = helper.clock.Ns() - helper.waited_from_ns;
    helper.away_ns.store(TimeAwayNs(waited_ns, ran_ns), std::memory_order_relaxed);
  }

  void Help(int worker) {
    const DenormalsOff off;
    Helper& me = helpers[worker];
    me.core_losses = CoreLosses();
    for (;;) {
      // Read before looking for work: a later announcement changes it.
      const uint32_t seen = epoch.load(std::memory_order_seq_cst);
      if (stopping.load()) return;
      WorkOff(worker);
      const auto called = [&] { return epoch.load(std::memory_order_acquire) != seen || IsSuspected(me); };
      if (!SpinFor(spin, called)) Sleep(me, seen);
      if (IsSuspected(me)) StayAway(me);
    }
  }

  static bool IsSuspected(const Helper& me) { return me.away_ns.load(std::memory_order_relaxed) != 0; }

  void Sleep(Helper& me, uint32_t seen) {
    asleep.fetch_add(1, std::memory_order_seq_cst);
    epoch.wait(seen, std::memory_order_seq_cst);
    asleep.fetch_sub(1, std::memory_order_relaxed);
    if (yields && !IsSuspected(me)) me.core_losses = CoreLosses();
  }

  // A helper whose clock stood still may have waited for a page. Only one whose core was taken is in another thread's
  // way.
  void StayAway(Helper& me) {
    const int64_t losses = CoreLosses();
    const nanoseconds time{me.away_ns.exchange(0, std::memory_order_relaxed)};
    if (losses == me.core_losses) return;
    me.core_losses = losses;
    away.fetch_add(1, std::memory_order_relaxed);
    std::unique_lock lock(mutex);
    recall.wait_for(lock, time, [this] { return recalled || stopping.load(); });
    away.fetch_sub(1, std::memory_order_relaxed);
  }

  void Recall(bool all) {
    {
      const std::scoped_lock lock(mutex);
      recalled = all;
    }
    if (all) recall.notify_all();
  }

  void Stop() {
    stopping.store(true);
    Recall(true);
    Announce(true);
    for (int i = 1; i < started; ++i) helpers[i].thread.join();
  }
};

ThreadPool::ThreadPool(int threads, bool pin, Crowding crowding) {
  if (threads < 1 || threads > 4096) {
    throw Error(ExitCode::kUsage, fmt::format("{} threads were asked for; 1 to 4096 would be right", threads));
  }
  state_ = std::make_unique<State>(threads);
  State& state = *state_;
  state.yields = crowding == Crowding::kYield;
  // With fewer cores than threads a spinning worker would keep the one it waits for from running.
  if (AllowedCores() >= threads) state.spin = kSpin;
  const std::vector<int> cpus = pin ? CpusToPin() : std::vector<int>();
  try {
    for (int worker = 1; worker < threads; ++worker) {
      State::Helper& helper = state.helpers[worker];
      helper.thread = std::thread([&state, worker] { state.Help(worker); });
      helper.clock = CoreClock(helper.thread.native_handle());
      ++state.started;
      if (pin && !cpus.empty()) PinThread(helper.thread, cpus[static_cast<size_t>(worker) % cpus.size()]);
    }
  } catch (const std::system_error& error) {
    state.Stop();
    throw Error(ExitCode::kIo,
                fmt::format("the system gave {} of {} threads: {}", state.started, threads, error.what()));
  }
}

ThreadPool::~ThreadPool() { state_->Stop(); }

int ThreadPool::threads() const { return state_->threads; }

void ThreadPool::RunOnEach(const std::function<void(int)>& work) {
  const DenormalsOff off;
  state_->RunOnEach([&work](int worker, int, int) { work(worker); });
}

void ThreadPool::RunParts(int parts, const PartsWork& work) {
  const DenormalsOff off;
  state_->RunParts(parts, work);
}

}  // namespace hone
