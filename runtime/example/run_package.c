/* Runs a package from C: fills every input with i / n for element i of n, runs once, prints the first values of each
 * output. Usage: run_package PACKAGE [THREADS] */
#include <hone/hone.h>
#include <stdio.h>
#include <stdlib.h>

static int Fail(hone_status status) {
  fprintf(stderr, "run_package: %s\n", hone_error_text());
  return (int)status;
}

static hone_status FillRamp(const hone_package* package, hone_session* session, int32_t index) {
  hone_tensor_info info;
  hone_status status = hone_package_input_info(package, index, &info);
  if (status != HONE_OK) return status;
  char* data = calloc(1, info.size_bytes > 0 ? info.size_bytes : 1);
  if (data == NULL) return HONE_IO;
  const size_t count = info.size_bytes / sizeof(float);
  for (size_t i = 0; info.dtype == HONE_FLOAT32 && i < count; ++i) ((float*)data)[i] = (float)i / (float)count;
  status = hone_session_set_input(session, index, data, info.size_bytes);
  free(data);
  return status;
}

static hone_status PrintOutput(const hone_package* package, const hone_session* session, int32_t index) {
  hone_tensor_info info;
  hone_status status = hone_package_output_info(package, index, &info);
  if (status != HONE_OK) return status;
  char* data = calloc(1, info.size_bytes > 0 ? info.size_bytes : 1);
  if (data == NULL) return HONE_IO;
  status = hone_session_get_output(session, index, data, info.size_bytes);
  printf("%s:", info.name);
  const size_t count = info.dtype == HONE_FLOAT32 ? info.size_bytes / sizeof(float) : 0;
  for (size_t i = 0; i < count && i < 10; ++i) printf(" %g", (double)((float*)data)[i]);
  printf("\n");
  free(data);
  return status;
}

static hone_status RunOnce(const hone_package* package, hone_session* session) {
  hone_status status = HONE_OK;
  for (int32_t i = 0; status == HONE_OK && i < hone_package_inputs(package); ++i)
    status = FillRamp(package, session, i);
  if (status == HONE_OK) status = hone_session_run(session);
  for (int32_t i = 0; status == HONE_OK && i < hone_package_outputs(package); ++i) {
    status = PrintOutput(package, session, i);
  }
  return status;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: run_package PACKAGE [THREADS]\n");
    return HONE_USAGE;
  }
  hone_package* package = NULL;
  hone_session* session = NULL;
  hone_status status = hone_package_load(argv[1], &package);
  if (status == HONE_OK) status = hone_session_create(package, argc > 2 ? atoi(argv[2]) : 0, &session);
  if (status == HONE_OK) status = RunOnce(package, session);
  const int code = status == HONE_OK ? 0 : Fail(status);
  hone_session_free(session);
  hone_package_free(package);
  return code;
}
