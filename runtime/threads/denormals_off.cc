#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "runtime/threads/thread_pool.h"

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

}  // namespace hone
