/* A kernel that needs each kind of relocation that a linker makes for kernels. */
#include "core/package/kernel_abi.h"

/* By its place in the object. */
static const int32_t kThree = 3;
static const int32_t* const volatile kPointer = &kThree;
/* By a symbol's: of data, and of a function. */
int32_t four = 4;
int32_t Five(void) { return 5; }
int32_t (*const volatile five_pointer)(void) = Five;

int32_t relocated(const hone_kernel_args* args, int64_t begin, int64_t end) {
  (void)args, (void)begin, (void)end;
  return *kPointer + 10 * four + 100 * Five() + 1000 * five_pointer();
}
