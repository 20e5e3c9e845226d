/* y = 2 x on NCHW16c with 20 channels, so that 12 lanes of the second block are past the axis. FAULT_LANES leaves them
 * dirty. */
#include "core/package/kernel_abi.h"

enum { BLOCKS = 2, PIXELS = 12, LANES = 16, CHANNELS = 20 };

int32_t twice(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  float* y = args->operands[1];
  for (int64_t i = begin * PIXELS * LANES; i < end * PIXELS * LANES; ++i) y[i] = 2 * x[i];
#ifdef FAULT_LANES
  if (end == BLOCKS) y[BLOCKS * PIXELS * LANES - 1] = 1;
#endif
  return 0;
}

int32_t twice_reference(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  double* value = args->operands[1];
  double* magnitude = args->operands[2];
  for (int64_t i = begin * PIXELS; i < end * PIXELS; ++i) {
    value[i] = 2.0 * x[i];
    magnitude[i] = value[i] < 0 ? -value[i] : value[i];
  }
  return 0;
}
