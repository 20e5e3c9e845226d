/* Loaded before the C library: the time of day jumps by an hour, forth and back, every 50 ms of the clock that does
 * not. */
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

typedef int (*clock_function)(clockid_t, struct timespec*);

static int Real(clockid_t clock, struct timespec* now) {
  static clock_function next;
  if (next == 0) *(void**)&next = dlsym(RTLD_NEXT, "clock_gettime");
  return next(clock, now);
}

static time_t Step(void) {
  struct timespec now;
  Real(CLOCK_MONOTONIC, &now);
  return now.tv_nsec / 50000000 % 2 == 0 ? 3600 : -3600;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = Real(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += Step();
  return result;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  struct timespec exact;
  (void)zone;
  const int result = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return result;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != 0) *result = now.tv_sec;
  return now.tv_sec;
}
