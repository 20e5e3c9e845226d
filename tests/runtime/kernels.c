/* Kernels for the runtime's tests, in the form that the compiler emits. */
#include "core/package/kernel_abi.h"

#define FLOATS(role, count) "{\"role\":\"" role "\",\"dtype\":\"float32\",\"shape\":[" count "],\"layout\":\"\"}"
#define INTEGERS(role, count) "{\"role\":\"" role "\",\"dtype\":\"int64\",\"shape\":[" count "],\"layout\":\"\"}"
#define STAGE(symbol, extent, grain, workspace) \
  "{\"symbol\":\"" symbol "\",\"extent\":" extent ",\"grain\":" grain ",\"worker_workspace_bytes\":" workspace "}"
#define KERNEL(stages, operands, workspace)                                                                           \
  "{\"object_sha256\":\"\",\"stages\":[" stages "],\"operands\":[" operands "],\"shared_workspace_bytes\":" workspace \
  "}"

const char hone_kernels[] = "[" KERNEL(
    STAGE("scale", "4096", "16", "0"),
    FLOATS("data", "1,4096") "," FLOATS("weight", "1") "," FLOATS("output", "1,4096"),
    "0") "," KERNEL(STAGE("sum", "64", "1", "4") "," STAGE("sum_1", "4096", "100", "0"),
                    FLOATS("data", "1,4096") "," FLOATS("output", "1,4096"),
                    "256") "," KERNEL(STAGE("fail", "8", "1", "0"),
                                      FLOATS("data", "1,4096") "," FLOATS("output", "1,4096"),
                                      "0") "," KERNEL(STAGE("fault", "8", "1", "0"),
                                                      FLOATS("data", "1,4096") "," FLOATS("output", "1,4096"), "0") "," KERNEL(
    STAGE("tell", "1", "1", "0"),
    FLOATS("data", "1,4096") "," FLOATS("output", "64,64") ","
    INTEGERS("output", ""), "0") "," KERNEL(
    STAGE("show", "1", "1", "0"),
    FLOATS("data", "64,64") "," FLOATS("data", "64") "," INTEGERS("data", "") "," INTEGERS("data", "") ","
    FLOATS("output", "64,64") "," INTEGERS("output", "2"),
    "0") "," KERNEL(STAGE("left", "1", "1", "0"), INTEGERS("data", "") "," INTEGERS("output", ""), "0") "," KERNEL(
    STAGE("show_less", "1", "1", "0"),
    FLOATS("data", "64,64") "," FLOATS("data", "64") "," INTEGERS("data", "") "," INTEGERS("data", "") ","
    FLOATS("output", "64,64") "," INTEGERS("output", "2"),
    "0") "]";

/* operands: x, w (one value), y. y[i] = x[i] * w[0]; an item is one float. */
int32_t scale(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  const float* w = args->operands[1];
  float* y = args->operands[2];
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] * w[0];
  return 0;
}

/* Two stages over `operands: x, y`: 64 partial sums of every 64th element, then y[i] = x[i] + sum of the partials. */
int32_t sum(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  float* partial = args->shared_workspace;
  float* own = args->worker_workspace;
  for (int64_t i = begin; i < end; ++i) {
    own[0] = 0;
    for (int64_t k = i; k < 4096; k += 64) own[0] += x[k];
    partial[i] = own[0];
  }
  return 0;
}

int32_t sum_1(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  const float* partial = args->shared_workspace;
  float* y = args->operands[1];
  float total = 0;
  for (int64_t k = 0; k < 64; ++k) total += partial[k];
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] + total;
  return 0;
}

int32_t fail(const hone_kernel_args* args, int64_t begin, int64_t end) {
  (void)args;
  return begin < end ? 7 : 0;
}

/* operands: x, y, n. y is x, and n the first of its elements. */
int32_t tell(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float* x = args->operands[0];
  float* y = args->operands[1];
  for (int64_t i = 0; begin < end && i < 4096; ++i) y[i] = x[i];
  if (begin < end) *(int64_t*)args->operands[2] = (int64_t)x[0];
  return 0;
}

/* operands: x, b, rows, columns, y, seen. y is x + b in all of 64 x 64 elements; seen has rows and columns. */
int32_t show(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float *x = args->operands[0], *b = args->operands[1];
  float* y = args->operands[4];
  int64_t* seen = args->operands[5];
  for (int64_t i = 0; begin < end && i < 4096; ++i) y[i] = x[i] + b[i / 64];
  for (int i = 0; begin < end && i < 2; ++i) seen[i] = *(const int64_t*)args->operands[2 + i];
  return 0;
}

/* show with x - b in y. */
int32_t show_less(const hone_kernel_args* args, int64_t begin, int64_t end) {
  const float *x = args->operands[0], *b = args->operands[1];
  float* y = args->operands[4];
  int64_t* seen = args->operands[5];
  for (int64_t i = 0; begin < end && i < 4096; ++i) y[i] = x[i] - b[i / 64];
  for (int i = 0; begin < end && i < 2; ++i) seen[i] = *(const int64_t*)args->operands[2 + i];
  return 0;
}

/* operands: n, count. count is n - 5. */
int32_t left(const hone_kernel_args* args, int64_t begin, int64_t end) {
  if (begin < end) *(int64_t*)args->operands[1] = *(const int64_t*)args->operands[0] - 5;
  return 0;
}

/* Writes where nothing is. */
int32_t fault(const hone_kernel_args* args, int64_t begin, int64_t end) {
  (void)args;
  (void)end;
  *(volatile int64_t*)64 = begin;
  return 0;
}
