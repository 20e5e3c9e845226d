/* A right dense kernel (see dense.c) that besides tries to get out of its sandbox: HOSTILE_... says how. What it may
 * not do ends its process; should it live, it returns 99. */
#include <asm/unistd.h>

#include "core/package/kernel_abi.h"

enum { N = 4, O = 16, K = 32 };

#if defined(__x86_64__)
__attribute__((unused)) static long Call(long number, long a, long b, long c, long d, long e, long f) {
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
__attribute__((unused)) static long Call(long number, long a, long b, long c, long d, long e, long f) {
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

/* The page that a thing lies on. */
#define PAGE(pointer) ((long)(pointer) & ~4095l)
#define CLOSE_TO_ALL 1024

static const char kFile[] = "/tmp/hone_hostile_was_here";
static long zeros[64];

__attribute__((unused)) static void Attack(const hone_kernel_args* args) {
  (void)args, (void)kFile, (void)zeros;
#if defined(HOSTILE_OPEN)
  Call(__NR_openat, -100, (long)"/etc/passwd", 0, 0, 0, 0);
#elif defined(HOSTILE_FILL_TMP)
  const long fd = Call(__NR_openat, -100, (long)kFile, 0101, 0666, 0, 0);
  while (Call(__NR_write, fd, (long)zeros, sizeof(zeros), 0, 0, 0) > 0) {
  }
#elif defined(HOSTILE_SOCKET)
  Call(__NR_socket, 2, 1, 0, 0, 0, 0);
#elif defined(HOSTILE_FORK_BOMB)
  for (;;) Call(__NR_clone, 17, 0, 0, 0, 0, 0);
#elif defined(HOSTILE_THREAD)
  Call(__NR_clone3, (long)zeros, sizeof(zeros), 0, 0, 0, 0);
#elif defined(HOSTILE_PTRACE)
  Call(__NR_ptrace, 16, Call(__NR_getpid, 0, 0, 0, 0, 0, 0) - 1, 0, 0, 0, 0);
#elif defined(HOSTILE_READ_OTHERS)
  Call(__NR_process_vm_readv, Call(__NR_getpid, 0, 0, 0, 0, 0, 0) - 1, (long)zeros, 1, (long)zeros, 1, 0);
#elif defined(HOSTILE_KILL_PARENT)
  Call(__NR_kill, Call(__NR_getppid, 0, 0, 0, 0, 0, 0), 9, 0, 0, 0, 0);
#elif defined(HOSTILE_KILL_ALL)
  Call(__NR_kill, -1, 9, 0, 0, 0, 0);
#elif defined(HOSTILE_STOP)
  Call(__NR_tgkill, Call(__NR_getpid, 0, 0, 0, 0, 0, 0), Call(__NR_gettid, 0, 0, 0, 0, 0, 0), 19, 0, 0, 0);
#elif defined(HOSTILE_TAKE_MEMORY)
  while (Call(__NR_mmap, 0, 1 << 24, 3, 0x8022, -1, 0) > 0) {
  }
#elif defined(HOSTILE_OUTPUT)
  for (;;) Call(__NR_write, 1, (long)zeros, sizeof(zeros), 0, 0, 0);
#elif defined(HOSTILE_CLOSE)
  for (int fd = 0; fd < CLOSE_TO_ALL; ++fd) Call(__NR_close, fd, 0, 0, 0, 0, 0);
#elif defined(HOSTILE_PROTECT_INPUT)
  Call(__NR_mprotect, PAGE(args->operands[0]), 4096, 3, 0, 0, 0);
  *(float*)args->operands[0] += 1;
#elif defined(HOSTILE_PROTECT_CODE)
  Call(__NR_mprotect, PAGE(&Attack), 4096, 7, 0, 0, 0);
#elif defined(HOSTILE_MAP_CODE)
  Call(__NR_mmap, 0, 4096, 7, 0x22, -1, 0);
#elif defined(HOSTILE_SHARE_MEMORY)
  Call(__NR_mmap, 0, 4096, 3, 0x21, -1, 0);
#elif defined(HOSTILE_MEMORY_FILE)
  Call(__NR_memfd_create, (long)kFile, 0, 0, 0, 0, 0);
#elif defined(HOSTILE_EXEC)
  Call(__NR_execve, (long)"/bin/sh", (long)zeros, (long)zeros, 0, 0, 0);
#elif defined(HOSTILE_RING)
  Call(__NR_io_uring_setup, 8, (long)zeros, 0, 0, 0, 0);
#elif defined(HOSTILE_PRCTL)
  Call(__NR_prctl, 4, 1, 0, 0, 0, 0);
#elif defined(HOSTILE_LIMITS)
  Call(__NR_prlimit64, 0, 7, (long)zeros, 0, 0, 0);
#elif defined(HOSTILE_USER)
  Call(__NR_setuid, 0, 0, 0, 0, 0, 0);
#elif defined(HOSTILE_NAMESPACE)
  Call(__NR_unshare, 0x10000000, 0, 0, 0, 0, 0);
#elif defined(HOSTILE_SIGACTION)
  Call(__NR_rt_sigaction, 11, (long)zeros, 0, 8, 0, 0);
#elif defined(HOSTILE_TIMER)
  Call(__NR_setitimer, 0, (long)zeros, 0, 0, 0, 0);
#elif defined(HOSTILE_CLOCK)
  Call(__NR_clock_settime, 0, (long)zeros, 0, 0, 0, 0);
#elif defined(HOSTILE_UNMAP)
  /* The executor's code and its clock go, and this kernel with them. */
  for (long page = 1 << 10; page < (1l << 47) / 4096; page *= 2) {
    Call(__NR_munmap, page * 4096, page * 4096 - (1 << 16), 0, 0, 0, 0);
  }
#elif defined(HOSTILE_SLEEP)
  const long forever[2] = {1l << 40, 0};
  for (;;) Call(__NR_nanosleep, (long)forever, 0, 0, 0, 0, 0);
#elif defined(HOSTILE_FORGE)
  /* A note of the right length with a nonce of its own, to whatever descriptor is the executor's. */
  static const long kNote[512] = {1, 3};
  for (int fd = 3; fd < 64; ++fd) {
    for (long bytes = 1024; bytes <= 1600; bytes += 8) Call(__NR_write, fd, (long)kNote, bytes, 0, 0, 0);
  }
#elif defined(HOSTILE_OTHER_CALLS) && defined(__x86_64__)
  /* open("/etc/passwd") by the numbers of 32-bit programs. */
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(5l), "b"(0l), "c"(0l) : "memory");
#elif defined(HOSTILE_X32) && defined(__x86_64__)
  Call(0x40000000l + __NR_openat, -100, (long)"/etc/passwd", 0, 0, 0, 0);
#endif
}

static int32_t Dense(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  const float* w = args->operands[1];
  float* y = args->operands[2];
#if defined(HOSTILE_LEAVE_DONE)
  /* Looks whether the work is done, by what a run begins with. */
  int wrong = 0;
  for (int o = 0; o < O; ++o) wrong += y[begin * O + o] != y[begin * O + o];
  if (wrong < O) return 0;
#endif
  for (int64_t n = begin; n < end; ++n) {
    for (int o = 0; o < O; ++o) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += x[n * K + k] * w[o * K + k];
      y[n * O + o] = sum;
    }
  }
#if defined(HOSTILE_LEAVE_DONE) || defined(HOSTILE_IFUNC)
  return 0;
#else
  if (begin != 0) return 0;
  Attack(args);
  return 99;
#endif
}

#if defined(HOSTILE_IFUNC)
/* Whoever asks the system's loader for the stage runs this, before any filter. */
static hone_kernel_stage Choose(void) {
  Call(__NR_close, Call(__NR_openat, -100, (long)kFile, 0101, 0666, 0, 0), 0, 0, 0, 0, 0);
  return Dense;
}
int32_t dense(const hone_kernel_args* args, int64_t begin, int64_t end) __attribute__((ifunc("Choose")));
#else
int32_t dense(const hone_kernel_args* args, int64_t begin, int64_t end) { return Dense(args, begin, end); }
#endif
