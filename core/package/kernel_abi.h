/* The one calling convention of compiled kernels, for the runtime and the runner. It is C so that any program can use
 * it. The struct's layout is ABI version 1; the code generator mirrors it by byte offsets
 * (compiler/codegen/kernel_builder.cc).
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_KERNEL_ABI_VERSION 1

typedef struct hone_kernel_args {
  void* const* operands;        /* inputs, then outputs; the beginning of each operand's slice */
  const int64_t* batch_strides; /* bytes from one image of the batch to the next, one per operand */
  void* shared_workspace;       /* shared by all workers of a call, 64-byte aligned, kept across stages; may be null */
  void* worker_workspace;       /* this worker's own, 64-byte aligned; may be null */
  int32_t worker;               /* 0 .. workers-1 */
  int32_t workers;
} hone_kernel_args;

/* One stage of a kernel: does the work items [begin, end) of its extent. Returns 0, or the kernel's own code on
 * failure. A barrier separates stages. The result of a work item never depends on how the range was cut. */
typedef int32_t (*hone_kernel_stage)(const hone_kernel_args* args, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif
