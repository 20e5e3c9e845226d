/* hone's C API: run a package from any language. Links the runtime alone.
 *
 * Every function that can fail returns a hone_status; hone_error_text() tells, for the calling thread, what the last
 * failure was. Packages are immutable and may be shared between threads; a session is used by one thread at a time.
 * Element counts and shapes are those of the model; tensors are dense and row-major, of any alignment. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_API_VERSION 1

typedef struct hone_package hone_package;
typedef struct hone_session hone_session;

/* The numbers are permanent and equal the programs' exit codes. */
typedef enum hone_status {
  HONE_OK = 0,
  HONE_USAGE = 2,
  HONE_BAD_DATA = 65,
  HONE_NO_INPUT = 66,
  HONE_BUG = 70,
  HONE_IO = 74,
  HONE_BAD_CONFIG = 78
} hone_status;

/* The numbers are permanent and equal core/tensor.h's DType. */
typedef enum hone_dtype {
  HONE_FLOAT32 = 0,
  HONE_FLOAT64 = 1,
  HONE_INT32 = 2,
  HONE_INT64 = 3,
  HONE_INT8 = 4,
  HONE_UINT8 = 5,
  HONE_BOOL = 6,
  HONE_FLOAT16 = 7,
  HONE_BFLOAT16 = 8
} hone_dtype;

typedef struct hone_tensor_info {
  const char* name; /* lives as long as the package */
  hone_dtype dtype;
  int32_t rank;
  const int64_t* shape; /* rank dims; lives as long as the package */
  size_t size_bytes;
} hone_tensor_info;

/* HONE_API_VERSION of the library. */
int32_t hone_api_version(void);
/* One line about the calling thread's last failure; "" when there was none. Valid until its next call. */
const char* hone_error_text(void);

hone_status hone_package_load(const char* path, hone_package** package);
void hone_package_free(hone_package* package); /* null is allowed; sessions keep what they need */
int32_t hone_package_inputs(const hone_package* package);
int32_t hone_package_outputs(const hone_package* package);
hone_status hone_package_input_info(const hone_package* package, int32_t index, hone_tensor_info* info);
hone_status hone_package_output_info(const hone_package* package, int32_t index, hone_tensor_info* info);

/* threads 0: the cores that affinity and the cgroup allow. */
hone_status hone_session_create(const hone_package* package, int32_t threads, hone_session** session);
void hone_session_free(hone_session* session); /* null is allowed */
/* Copies size_bytes bytes in; they must equal the input's size. */
hone_status hone_session_set_input(hone_session* session, int32_t index, const void* data, size_t size_bytes);
hone_status hone_session_run(hone_session* session);
/* Copies the output out; size_bytes must equal its size. */
hone_status hone_session_get_output(const hone_session* session, int32_t index, void* data, size_t size_bytes);

#ifdef __cplusplus
}
#endif
