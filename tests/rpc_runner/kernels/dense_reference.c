/* The reference of dense.c: value and magnitude in double. */
#include "core/package/kernel_abi.h"

enum { N = 4, O = 16, K = 32 };

int32_t dense_reference(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  const float* w = args->operands[1];
  double* value = args->operands[2];
  double* magnitude = args->operands[3];
  for (int64_t n = begin; n < end; ++n) {
    for (int o = 0; o < O; ++o) {
      double sum = 0, absolute = 0;
      for (int k = 0; k < K; ++k) {
        const double product = (double)x[n * K + k] * w[o * K + k];
        sum += product;
        absolute += product < 0 ? -product : product;
      }
      value[n * O + o] = sum;
      magnitude[n * O + o] = absolute;
    }
  }
  return 0;
}
