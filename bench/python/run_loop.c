/* The other side of call_overhead.py: what a run costs a program in C. */
#include <stdint.h>
#include <time.h>

/* Calls run(session), which is hone_session_run, `runs` times; the nanoseconds of all, -1 when one fails. */
int64_t hone_run_loop(int (*run)(void*), void* session, int32_t runs) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int32_t i = 0; i < runs; ++i) {
    if (run(session) != 0) return -1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (end.tv_sec - begin.tv_sec) * INT64_C(1000000000) + (end.tv_nsec - begin.tv_nsec);
}
