/* Runs a package that is linked into the program: model.h and model.o are what `hone package export` wrote. Reads no
 * file. Its tensors' memory is the program's own. Prints the first output's first values for inputs of zeros. */
#include <model.h>
#include <stdio.h>

static _Alignas(64) unsigned char input[MODEL_INPUT_0_BYTES];
static _Alignas(64) unsigned char output[MODEL_OUTPUT_0_BYTES];

int main(void) {
  hone_package* package = NULL;
  hone_session* session = NULL;
  hone_status status = model_load(&package);
  if (status == HONE_OK) status = hone_session_create(package, 1, &session);
  if (status == HONE_OK) status = hone_session_bind_input(session, 0, input, sizeof(input));
  if (status == HONE_OK) status = hone_session_bind_output(session, 0, output, sizeof(output));
  if (status == HONE_OK) status = hone_session_run(session);
  if (status != HONE_OK) fprintf(stderr, "run_linked: %s\n", hone_error_text());
  const float* values = (const float*)output;
  for (size_t i = 0; status == HONE_OK && i < sizeof(output) / sizeof(float) && i < 5; ++i)
    printf("%g ", (double)values[i]);
  printf("\n");
  hone_session_free(session);
  hone_package_free(package);
  return (int)status;
}
