/* A dense layer by plain loops, y[n][o] = sum over k of x[n][k] * w[o][k], and everything that a broken kernel may do
 * instead: FAULT_... says which. N, O and K are those of kernel_fixture.cc. */
#include "core/package/kernel_abi.h"

enum { N = 4, O = 16, K = 32 };

#if defined(__x86_64__)
enum {
  SYSCALL_SOCKET = 41,
  SYSCALL_EXIT_GROUP = 231,
  SYSCALL_WRITE = 1,
  SYSCALL_FORK = 57,
  SYSCALL_MMAP = 9,
  SYSCALL_KILL = 62,
  SYSCALL_GETPID = 39,
  SYSCALL_GETTID = 186,
  SYSCALL_TGKILL = 234,
  SYSCALL_SIGPROCMASK = 14
};
static long Syscall6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#else
enum {
  SYSCALL_SOCKET = 198,
  SYSCALL_EXIT_GROUP = 94,
  SYSCALL_WRITE = 64,
  SYSCALL_FORK = 220,
  SYSCALL_MMAP = 222,
  SYSCALL_KILL = 129,
  SYSCALL_GETPID = 172,
  SYSCALL_GETTID = 178,
  SYSCALL_TGKILL = 131,
  SYSCALL_SIGPROCMASK = 135
};
static long Syscall6(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#endif
__attribute__((unused)) static long Syscall(long number, long a, long b, long c) {
  return Syscall6(number, a, b, c, 0, 0, 0);
}

#if defined(FAULT_STACK) || defined(FAULT_HELPER_STACK)
static int Recurse(volatile char* above, int depth) {
  volatile char frame[4096];
  frame[0] = above[0];
  return Recurse(frame, depth + 1) + frame[0];
}
#endif

#ifdef FAULT_RANDOM
/* 1 to 1,023, or once in a thousand times 0. */
static long Chance(void) {
  unsigned long ticks;
#if defined(__x86_64__)
  ticks = __builtin_ia32_rdtsc();
#else
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#endif
  return (long)(ticks * 0x9e3779b97f4a7c15ul >> 54);
}
#endif

#ifdef FAULT_BSS
/* More than the job may have, and less than an object may. */
static char statics[3ul << 30];
#endif

static float Dot(const float* x, const float* w) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += x[k] * w[k];
  return sum;
}

/* What is done in place of, or besides, the right thing. Returns the stage's code. */
static int32_t Misbehave(const hone_kernel_args* args) {
  volatile float* x = (volatile float*)args->operands[0];
  volatile float* y = (volatile float*)args->operands[2];
  (void)x;
  (void)y;
#if defined(FAULT_NULL_STORE)
  *(volatile int*)(8 + (char*)args->shared_workspace) = 1;
#elif defined(FAULT_DIVIDE) && defined(__x86_64__)
  __asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; mov $1, %%eax; idiv %%ecx" ::: "eax", "ecx", "edx", "cc");
#elif defined(FAULT_BUS) && defined(__x86_64__)
  /* Relative to the stack's registers an address that cannot be is a bus error. */
  __asm__ volatile("push %%rbp; movabs $0x8000000000000000, %%rbp; movb $1, (%%rbp); pop %%rbp" ::: "memory");
#elif defined(FAULT_ABORT)
  Syscall(SYSCALL_TGKILL, Syscall(SYSCALL_GETPID, 0, 0, 0), Syscall(SYSCALL_GETTID, 0, 0, 0), 6);
#elif defined(FAULT_LONGJMP)
  /* To a place that nobody has set: this frame, and no code. */
  void* nowhere[5] = {__builtin_frame_address(0), 0, __builtin_frame_address(0), 0, 0};
  __builtin_longjmp(nowhere, 1);
#elif defined(FAULT_ILLEGAL)
  __builtin_trap();
#elif defined(FAULT_LOOP)
  for (;;) __asm__ volatile("");
#elif defined(FAULT_DEAF_LOOP)
  const unsigned long all = ~0ul;
  Syscall6(SYSCALL_SIGPROCMASK, 0, (long)&all, 0, 8, 0, 0);
  for (;;) __asm__ volatile("");
#elif defined(FAULT_WRONG)
  y[5] += 0.01f;
#elif defined(FAULT_NAN)
  y[5] = __builtin_nanf("");
#elif defined(FAULT_RANDOM)
  y[5] += (float)Chance();
#elif defined(FAULT_PAST_1_BYTE)
  ((volatile char*)y)[4 * N * O] = 1;
#elif defined(FAULT_BEFORE_1_BYTE)
  ((volatile char*)y)[-1] = 1;
#elif defined(FAULT_BSS)
  for (unsigned long i = 0; i < sizeof(statics); i += 4096) ((volatile char*)statics)[i] = 1;
#elif defined(FAULT_PAST_1)
  y[N * O] = 1;
#elif defined(FAULT_PAST_64_BYTES)
  y[N * O + 16] = 1;
#elif defined(FAULT_PAST_PAGE)
  y[N * O + 1024] = 1;
#elif defined(FAULT_BEFORE_1)
  y[-1] = 1;
#elif defined(FAULT_BEFORE_2_PAGES)
  y[-2048] = 1;
#elif defined(FAULT_READ_PAST)
  y[0] += x[N * K];
#elif defined(FAULT_WRITE_INPUT)
  x[0] = 1;
#elif defined(FAULT_EXIT)
  Syscall(SYSCALL_EXIT_GROUP, 0, 0, 0);
#elif defined(FAULT_EXIT_77)
  Syscall(SYSCALL_EXIT_GROUP, 77, 0, 0);
#elif defined(FAULT_STACK)
  volatile char first[1] = {0};
  return Recurse(first, 0);
#elif defined(FAULT_SOCKET)
  Syscall(SYSCALL_SOCKET, 2, 1, 0);
#elif defined(FAULT_KILL)
  Syscall(SYSCALL_KILL, -1, 0, 0);
#elif defined(FAULT_FORGE)
  static const char kForged[40] = {1};
  for (int fd = 3; fd < 64; ++fd) Syscall(SYSCALL_WRITE, fd, (long)kForged, sizeof(kForged));
#elif defined(FAULT_MAP)
  while (Syscall6(SYSCALL_MMAP, 0, 1l << 28, 3, 0x22, -1, 0) > 0) {
  }
  return 12;
#elif defined(FAULT_CODE)
  return 7;
#elif defined(FAULT_LATE)
  /* Right for the first checks, wrong once it has been timed. */
  static int runs = 0;
  if (++runs > 4) y[0] += 1;
#elif defined(FAULT_LAZY)
  /* Does nothing from the second run on. */
  static int runs = 0;
  return ++runs > 1 ? -1 : 0;
#endif
  return 0;
}

int32_t dense(const hone_kernel_args* args, int64_t begin, int64_t end) {
#ifdef FAULT_HELPER_STACK
  volatile char first[1] = {0};
  if (args->worker != 0) return Recurse(first, 0);
  /* Until the helper has had its part. */
  for (;;) __asm__ volatile("");
#endif
  const float* x = args->operands[0];
  const float* w = args->operands[1];
  float* y = args->operands[2];
  for (int64_t n = begin; n < end; ++n) {
#ifdef FAULT_ACCUMULATE
    for (int o = 0; o < O; ++o) y[n * O + o] += Dot(x + n * K, w + o * K);
#else
    for (int o = 0; o < O; ++o) y[n * O + o] = Dot(x + n * K, w + o * K);
#endif
  }
  return begin == 0 ? Misbehave(args) : 0;
}
