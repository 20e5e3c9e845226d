/* Shared objects that break one loading rule each: compiled once per rule, named by BREAKS_... */
#include "core/package/kernel_abi.h"

#ifdef BREAKS_CONSTRUCTOR
static volatile int begun;
__attribute__((constructor)) static void Begin(void) { begun = 1; }
#endif
#ifdef BREAKS_TLS
__thread int counter;
#define USE ++counter
#endif
#ifdef BREAKS_IMPORT
int getpid(void);
#define USE getpid()
#endif
#ifdef BREAKS_IFUNC
static int Chosen(void) { return 0; }
static int (*Choose(void))(void) { return Chosen; }
int Which(void) __attribute__((ifunc("Choose")));
#define USE Which()
#endif
#ifdef BREAKS_STAGE
/* A stage that chooses itself: no relocation names it, whoever asks the system's loader for it runs Choose. */
static int32_t Scale(const hone_kernel_args* args, int64_t begin, int64_t end) {
  (void)args, (void)begin, (void)end;
  return 0;
}
static hone_kernel_stage Choose(void) { return Scale; }
int32_t scale(const hone_kernel_args* args, int64_t begin, int64_t end) __attribute__((ifunc("Choose")));
#define scale other
#endif
#ifndef USE
#define USE 0
#endif

int32_t scale(const hone_kernel_args* args, int64_t begin, int64_t end) {
  (void)args, (void)begin, (void)end;
  return USE;
}
