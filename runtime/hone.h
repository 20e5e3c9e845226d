/* hone's C API: run a package from any language. It links only the runtime.
 *
 * Every function that can fail returns a hone_status. hone_error_text() describes the calling thread's last failure.
 * Packages are immutable and may be shared between threads; a session is used by one thread at a time, and any number
 * of sessions may run at once. Element counts and shapes are those of the model; tensors are dense and row-major, of
 * any alignment. docs/howto/embedding.md shows programs that use it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Rises with each addition. Nothing is removed or changed while the library's SONAME stays. */
#define HONE_API_VERSION 12

typedef struct hone_package hone_package;
typedef struct hone_session hone_session;

/* The numbers are permanent and equal the programs' exit codes. HONE_NOT_AUTHORISED (a file that may not be read)
 * exists since version 8. */
typedef enum hone_status {
  HONE_OK = 0,
  HONE_USAGE = 2,
  HONE_BAD_DATA = 65,
  HONE_NO_INPUT = 66,
  HONE_BUG = 70,
  HONE_IO = 74,
  HONE_NOT_AUTHORISED = 77,
  HONE_BAD_CONFIG = 78
} hone_status;

/* The numbers are permanent and equal core/tensor.h's DType and core/declared_types.h. An element of fewer than 8 bits
 * has a byte of its own, of which it takes the low bits. Numbers from HONE_INT16 on exist since version 9. */
typedef enum hone_dtype {
  HONE_FLOAT32 = 0,
  HONE_FLOAT64 = 1,
  HONE_INT32 = 2,
  HONE_INT64 = 3,
  HONE_INT8 = 4,
  HONE_UINT8 = 5,
  HONE_BOOL = 6,
  HONE_FLOAT16 = 7,
  HONE_BFLOAT16 = 8,
  HONE_INT16 = 9,
  HONE_UINT16 = 10,
  HONE_UINT32 = 11,
  HONE_UINT64 = 12,
  HONE_FLOAT8_E4M3FN = 13,
  HONE_FLOAT8_E4M3FNUZ = 14,
  HONE_FLOAT8_E5M2 = 15,
  HONE_FLOAT8_E5M2FNUZ = 16,
  HONE_FLOAT8_E8M0FNU = 17,
  HONE_FLOAT4_E2M1FN = 18,
  HONE_INT4 = 19,
  HONE_UINT4 = 20,
  HONE_INT2 = 21,
  HONE_UINT2 = 22
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
/* The library's version, "0.1.0". Lives as long as the library. */
const char* hone_version(void);
/* One line about the calling thread's last failure; "" if there was none. Valid until its next call. */
const char* hone_error_text(void);

/* ---- Packages ---- */

/* Maps the file and checks all of it except the parameters. Processes that load the same file share its parameters. */
hone_status hone_package_load(const char* path, hone_package** package);
/* Loads from a file for several shapes the package whose inputs may have these. Of each of the `count` infos, name,
 * rank and shape are read; an input that is not among them may have any shape. A file with one package gives that one,
 * whatever the shapes. HONE_USAGE, naming the shapes that exist, when no package fits. Since version 5. */
hone_status hone_package_load_for(const char* path, const hone_tensor_info* inputs, int32_t count,
                                  hone_package** package);
/* Loads a package from bytes in memory without copying them. They stay the caller's, must outlive the package and its
 * sessions, and must begin at a multiple of 64: HONE_USAGE when they do not. */
hone_status hone_package_load_memory(const void* bytes, size_t size_bytes, hone_package** package);

/* A new value for one of the model's parameters. */
typedef struct hone_param {
  const char* name; /* its name in the model */
  const void* data; /* dense and row-major, of the model's type and shape for it; copied */
  size_t size_bytes;
} hone_param;
/* Makes a package of the same kernels in which these parameters replace its own, packed as a build packs them; the
 * others stay. Its outputs are those of a fresh build with these values, bit for bit. It has its own copy of all
 * parameters; `package` may be freed before it. HONE_BAD_CONFIG unless the package lists the places of its parameters
 * (`hone package open-params`). HONE_USAGE for a name that it does not list or that is given twice, and for a wrong
 * size. Since version 3. */
hone_status hone_package_with_params(const hone_package* package, const hone_param* params, int32_t count,
                                     hone_package** replaced);
/* The type, shape and size that hone_package_with_params takes for the parameter of this name. info->name points to
 * `name`. Fails as that function does.
 * info->shape is valid until the calling thread's next call of this function. Since version 7. */
hone_status hone_package_param_info(const hone_package* package, const char* name, hone_tensor_info* info);
void hone_package_free(hone_package* package); /* null is allowed; sessions keep the parts that they need */
/* Reads all parameters and compares them with their hash. HONE_BAD_DATA when they are damaged. */
hone_status hone_package_verify(const hone_package* package);
int32_t hone_package_inputs(const hone_package* package);
int32_t hone_package_outputs(const hone_package* package);
hone_status hone_package_input_info(const hone_package* package, int32_t index, hone_tensor_info* info);
hone_status hone_package_output_info(const hone_package* package, int32_t index, hone_tensor_info* info);
/* The index of the input or output of this name; -1 if there is none. */
int32_t hone_package_input_index(const hone_package* package, const char* name);
int32_t hone_package_output_index(const hone_package* package, const char* name);

/* The extents that an axis of an input may have in a run. */
typedef struct hone_range {
  const char* name; /* the dimension's; "" if the extent is fixed; lives as long as the package */
  int64_t least;
  int64_t most;
} hone_range;
/* The range of one axis of an input. Axes with the same name have the same extent in a run. For a fixed extent `least`
 * and `most` are that extent. hone_package_input_info returns the largest shape. Since version 9. */
hone_status hone_package_input_range(const hone_package* package, int32_t index, int32_t axis, hone_range* range);
/* 1 if a run decides an extent of the output, so that hone_session_output_info may return a smaller shape than
 * hone_package_output_info. Else 0, also if there is no such output. Since version 6. */
int32_t hone_package_output_is_counted(const hone_package* package, int32_t index);

/* The values that a session keeps from one run to the next, such as a cache of keys: they are none of the inputs and
 * outputs. 0 if a run depends on its inputs alone. Since version 11. */
int32_t hone_package_states(const hone_package* package);
/* Name, type and largest shape. Since version 11. */
hone_status hone_package_state_info(const hone_package* package, int32_t index, hone_tensor_info* info);
/* The axis along which the state grows by the new positions of each run; -1 if its shape is fixed, or if there is no
 * such state. Since version 11. */
int32_t hone_package_state_axis(const hone_package* package, int32_t index);

/* ---- Sessions ---- */

/* The source of memory for a session's tensors and workspaces. The functions are called on the thread that creates or
 * frees a session, never by a run, and must return to their caller. */
typedef struct hone_allocator {
  void* user; /* passed to both functions unchanged */
  /* Returns size_bytes bytes of any content at a multiple of alignment, a power of two; null if there are none. */
  void* (*allocate)(void* user, size_t size_bytes, size_t alignment);
  void (*release)(void* user, void* memory, size_t size_bytes);
} hone_allocator;

/* Set struct_bytes to sizeof(hone_session_options) and unused members to 0. Later versions append members. */
typedef struct hone_session_options {
  size_t struct_bytes;
  int32_t threads;                 /* 0: the cores that affinity and the cgroup allow */
  int32_t pin;                     /* not 0: each thread except the caller's is bound to one core */
  const hone_allocator* allocator; /* null: the system. Copied; the target of `user` must outlive the session */
} hone_session_options;

/* threads 0: the cores that affinity and the cgroup allow. */
hone_status hone_session_create(const hone_package* package, int32_t threads, hone_session** session);
/* options null: all are 0. HONE_IO when the allocator returns null; everything allocated before was then released. */
hone_status hone_session_create_with(const hone_package* package, const hone_session_options* options,
                                     hone_session** session);
void hone_session_free(hone_session* session);             /* null is allowed */
int32_t hone_session_threads(const hone_session* session); /* the caller's is one of them; 0 for null */
/* Bytes of the session's tensors and workspaces; parameters belong to the package. 0 for null. */
size_t hone_session_memory_bytes(const hone_session* session);

/* Sets the shape of an input for later runs; before, it is the largest one. Then the input's memory has this shape,
 * densely, and is filled or bound anew. HONE_BAD_DATA, naming the dimension, for an extent out of its range. HONE_USAGE
 * for another rank or a fixed extent that differs. A run fails with HONE_BAD_DATA if two inputs disagree on a
 * dimension. Allocates nothing. Since version 9. */
hone_status hone_session_set_input_shape(hone_session* session, int32_t index, const int64_t* shape, int32_t rank);
/* The input's shape and size for the next run. info->shape is valid until the shape is set again or the session is
 * freed. Since version 9. */
hone_status hone_session_input_info(const hone_session* session, int32_t index, hone_tensor_info* info);
/* Copies size_bytes bytes into the session's memory. size_bytes must equal the size that hone_session_input_info
 * returns. */
hone_status hone_session_set_input(hone_session* session, int32_t index, const void* data, size_t size_bytes);
/* Later runs read the input from `data`, or write the output to it, without a copy. It has any alignment, stays the
 * caller's and must outlive the runs; size_bytes must equal the tensor's size. Null binds the session's own memory
 * again. HONE_USAGE when an output would overlap another bound tensor. An input with a range is copied in each run, and
 * its size is that of hone_session_input_info. Allocates nothing. */
hone_status hone_session_bind_input(hone_session* session, int32_t index, const void* data, size_t size_bytes);
hone_status hone_session_bind_output(hone_session* session, int32_t index, void* data, size_t size_bytes);
/* Allocates nothing. */
hone_status hone_session_run(hone_session* session);

/* The caller's memory of one tensor, as hone_session_bind_input and _output take it. Since version 6. */
typedef struct hone_memory {
  void* data;
  size_t size_bytes;
} hone_memory;
/* Runs once with input i read from inputs[i] and output i written to outputs[i], for as many as are given. They are
 * bound only for this run: afterwards, also when it fails, the session's own memory is bound. Inputs are not written.
 * Allocates nothing. Since version 6. */
hone_status hone_session_run_with(hone_session* session, const hone_memory* inputs, int32_t input_count,
                                  const hone_memory* outputs, int32_t output_count);
/* The shape and size of the output after the last run. Some axes are decided in a run: by the shapes of inputs, or by a
 * count (the boxes that a detector finds). For these hone_package_output_info returns the largest extent, which bound
 * memory must hold, and this function the actual one. Its elements lie densely at the beginning of the memory. For all
 * other outputs, and for all outputs before the first run, both functions agree. info->shape is valid until the session
 * runs again or is freed. Since version 4. */
hone_status hone_session_output_info(const hone_session* session, int32_t index, hone_tensor_info* info);
/* The shape and size that the output will have after the next run, from the present shapes of the inputs. Along axes
 * that a run counts from data (boxes) it is the largest. HONE_BAD_DATA if no run takes these shapes, as
 * hone_session_run. info->shape is valid until an input's shape is set or the session is freed. Allocates nothing.
 * Since version 10. */
hone_status hone_session_expected_output_info(hone_session* session, int32_t index, hone_tensor_info* info);
/* Copies the output from the memory that the last run wrote. size_bytes must equal the size that
 * hone_session_output_info returns. */
hone_status hone_session_get_output(const hone_session* session, int32_t index, void* data, size_t size_bytes);

/* ---- States (since version 11) ---- */

/* A session's states hold no position at first, or zeros where their shape is fixed. Each run reads what the last one
 * left. A run that fails leaves them as they were. One that would outgrow them is HONE_BAD_DATA: nothing is computed,
 * and the session stays usable. */

/* Positions that the states hold, and the most that they may hold. 0 if none grows. */
int64_t hone_session_state_length(const hone_session* session);
int64_t hone_session_state_capacity(const hone_session* session);
/* Begins anew. Allocates nothing. */
hone_status hone_session_reset_state(hone_session* session);
/* Keeps the first `length` positions, as if later ones had never been added. HONE_USAGE if there are fewer, and if a
 * state of fixed shape, which has no positions, would have to go back. Allocates nothing. */
hone_status hone_session_truncate_state(hone_session* session, int64_t length);
/* The size of a saved state at present. */
size_t hone_session_state_bytes(const hone_session* session);
/* Writes the states to `data`. size_bytes must be the present hone_session_state_bytes. */
hone_status hone_session_save_state(const hone_session* session, void* data, size_t size_bytes);
/* Replaces the states by saved ones. HONE_BAD_DATA, which changes nothing, for damaged bytes, the state of another
 * model, and more positions than there is room for. The saving package may be for another machine or for other lengths.
 */
hone_status hone_session_load_state(hone_session* session, const void* data, size_t size_bytes);
/* Makes a session of the same package with a copy of the states. They then differ as their runs do. `options` are those
 * of the new session, as hone_session_create_with takes them. Inputs keep their largest shapes. */
hone_status hone_session_fork(const hone_session* session, const hone_session_options* options, hone_session** fork);

/* ---- Text (since version 12) ---- */

/* How a language model's tokens are chosen. Set struct_bytes to sizeof(hone_generate_options) and unused members to 0.
 * Later versions append members. */
typedef struct hone_generate_options {
  size_t struct_bytes;
  const int64_t* stop_ids; /* each ends the text and is its last token */
  int64_t stop_count;
  double temperature;        /* divides the logits; 0: the most likely token is taken */
  int64_t top_k;             /* only so many of the most likely tokens; 0: all */
  double top_p;              /* only the most likely tokens that are this likely together; 0: all */
  double repetition_penalty; /* of tokens that occurred; 0: none */
  uint64_t seed;             /* of the draws */
  /* Called for each new token on the running thread; 0 ends the text. May be null. */
  int32_t (*on_token)(void* user, int64_t id);
  void* user; /* passed to on_token unchanged */
} hone_generate_options;

/* Why a text ends. */
typedef enum hone_generation_end {
  HONE_END_NEW_TOKENS = 0, /* there are as many new tokens as there is room for */
  HONE_END_STOP_ID = 1,
  HONE_END_CALLER = 2,  /* on_token returned 0 */
  HONE_END_CAPACITY = 3 /* the package takes no longer text */
} hone_generation_end;

typedef struct hone_generation {
  int64_t new_tokens;
  hone_generation_end end;
  int64_t first_ns; /* until the first new token */
  int64_t rest_ns;  /* for all others */
} hone_generation;

/* Continues a text by the `count` token ids of `prompt` and at most `room` new ones, which are written to `ids`.
 * `options` null: all are 0. A session with states goes on where they end; without states `prompt` is the whole text.
 * The last new token is not part of the states: it begins the next prompt. HONE_USAGE, naming the input, for a package
 * that is no language model (docs/howto/decoders.md). HONE_BAD_DATA for ids outside the vocabulary and for a prompt
 * that the package has no room for; nothing is computed then. */
hone_status hone_session_generate(hone_session* session, const int64_t* prompt, int64_t count,
                                  const hone_generate_options* options, int64_t* ids, int64_t room,
                                  hone_generation* made);

/* One call of a run: a kernel and the operator that it computes. Later versions append members. */
typedef struct hone_profiled_call {
  int32_t index;    /* in the order of execution, from 0 */
  int32_t calls;    /* number of calls in a run */
  const char* op;   /* its operator, "nn.conv2d"; lives as long as the package */
  const char* node; /* the first of the model's nodes that it computes, or ""; lives as long as the package */
  double flops;
  int64_t time_ns;
} hone_profiled_call;

/* Called on the running thread after a run, once for each of its calls, in order. `call` is valid until it returns. */
typedef void (*hone_profile_callback)(void* user, const hone_profiled_call* call);

/* Later runs are timed call by call and told to `callback`; null ends this. Such a run allocates a list of times. */
hone_status hone_session_set_profile(hone_session* session, hone_profile_callback callback, void* user);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
