#include "runtime/threads/thread_state.h"

#include <sys/resource.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>
#endif

#include <algorithm>

namespace hone {
namespace {

#if defined(__x86_64__)
constexpr uint64_t kFlush = 0x8040;  // FTZ and DAZ of MXCSR
uint64_t ReadControl() { return _mm_getcsr(); }
void WriteControl(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ of FPCR covers inputs and results
uint64_t ReadControl() {
  uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void WriteControl(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#elif defined(__arm__)
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ of FPSCR: scalars; vectors always flush
uint64_t ReadControl() {
  uint32_t value;
  asm volatile("vmrs %0, fpscr" : "=r"(value));
  return value;
}
void WriteControl(uint64_t value) { asm volatile("vmsr fpscr, %0" : : "r"(static_cast<uint32_t>(value))); }
#else
constexpr uint64_t kFlush = 0;  // RISC-V has no such mode
uint64_t ReadControl() { return 0; }
void WriteControl(uint64_t) {}
#endif

}  // namespace

DenormalsOff::DenormalsOff() : saved_(ReadControl()) {
  if ((saved_ & kFlush) != kFlush) WriteControl(saved_ | kFlush);
}

DenormalsOff::~DenormalsOff() {
  // The caller gets its control word back, without the exception flags that kernels raised. Inside another such scope,
  // which does that, it stays: writing takes 10 ns.
  if ((saved_ & kFlush) != kFlush) WriteControl(saved_);
}

bool MayUseTileRegisters() {
#if defined(__x86_64__)
  // Given by number because headers older than the kernel lack the names. kTileData is the register component with
  // tiles.
  constexpr long kAskForComponent = 0x1023, kTileData = 18;
  static const bool lent = syscall(SYS_arch_prctl, kAskForComponent, kTileData) == 0;
  return lent;
#else
  return false;
#endif
}

CoreClock::CoreClock(pthread_t thread) : known_(pthread_getcpuclockid(thread, &id_) == 0) {}

int64_t CoreClock::Ns() const {
  timespec time{};
  if (!known_ || clock_gettime(id_, &time) != 0) return 0;
  return int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

int64_t CoreLosses() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

int64_t TimeAwayNs(int64_t waited_ns, int64_t ran_ns) {
  constexpr int64_t kTimes = 100, kMostNs = 1'000'000'000;
  const int64_t idle_ns = waited_ns - ran_ns;
  return idle_ns <= waited_ns / 2 ? 0 : std::min(idle_ns, kMostNs / kTimes) * kTimes;
}

}  // namespace hone
