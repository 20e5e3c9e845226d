/* The clock of call_overhead.py: the time from the end of one hone_session_run to the start of the next. */
#include <stddef.h>
#include <time.h>

#include "runtime/hone.h"

static struct {
  hone_status (*bind_input)(hone_session*, int32_t, const void*, size_t);
  hone_status (*bind_output)(hone_session*, int32_t, void*, size_t);
  hone_status (*run)(hone_session*);
} library;
static int64_t last_end, *gaps;
static int32_t room, count;

static int64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Takes the library's functions of these names. */
void clock_library(void* bind_input, void* bind_output, void* run) {
  *(void**)&library.bind_input = bind_input;
  *(void**)&library.bind_output = bind_output;
  *(void**)&library.run = run;
}

/* Stores the next times between runs, in ns, in `ns`, at most `most`. Returns the number of earlier ones. */
int32_t clock_into(int64_t* ns, int32_t most) {
  const int32_t before = count;
  gaps = ns;
  room = most;
  count = 0;
  last_end = 0;
  return before;
}

static hone_status ClockedRun(hone_session* session) {
  const int64_t begin = NowNs();
  if (last_end != 0 && count < room) gaps[count++] = begin - last_end;
  const hone_status status = library.run(session);
  last_end = NowNs();
  return status;
}

static hone_status Bind(hone_session* session, const hone_memory* inputs, int32_t input_count,
                        const hone_memory* outputs, int32_t output_count) {
  hone_status status = HONE_OK;
  for (int32_t i = 0; i < input_count && status == HONE_OK; ++i) {
    status = library.bind_input(session, i, inputs[i].data, inputs[i].size_bytes);
  }
  for (int32_t i = 0; i < output_count && status == HONE_OK; ++i) {
    status = library.bind_output(session, i, outputs[i].data, outputs[i].size_bytes);
  }
  return status;
}

static void Unbind(hone_session* session, int32_t input_count, int32_t output_count) {
  for (int32_t i = 0; i < output_count; ++i) library.bind_output(session, i, NULL, 0);
  for (int32_t i = 0; i < input_count; ++i) library.bind_input(session, i, NULL, 0);
}

/* Replaces hone_session_run_with, so that the time of binding lies between the runs. */
hone_status clocked_run_with(hone_session* session, const hone_memory* inputs, int32_t input_count,
                             const hone_memory* outputs, int32_t output_count) {
  hone_status status = Bind(session, inputs, input_count, outputs, output_count);
  if (status == HONE_OK) status = ClockedRun(session);
  Unbind(session, input_count, output_count);
  return status;
}

/* A plain C program for comparison: binds once, then runs. */
hone_status clocked_loop(hone_session* session, const hone_memory* inputs, int32_t input_count,
                         const hone_memory* outputs, int32_t output_count, int32_t runs) {
  hone_status status = Bind(session, inputs, input_count, outputs, output_count);
  for (int32_t i = 0; i < runs && status == HONE_OK; ++i) status = ClockedRun(session);
  Unbind(session, input_count, output_count);
  return status;
}
