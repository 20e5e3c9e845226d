/* Runs a model that is one function of the program: model.h and model.o are what `hone package export --c --executor
 * aot` wrote. Nothing of hone is linked. Prints the first output's first values for inputs of zeros. */
#include <model.h>
#include <stdio.h>

static unsigned char input[MODEL_INPUT_0_BYTES];
static unsigned char output[MODEL_OUTPUT_0_BYTES];

int main(void) {
  const int32_t code = model_run(input, output, NULL);
  if (code != 0) fprintf(stderr, "run_aot: a kernel returned %d\n", (int)code);
  const float* values = (const float*)(const void*)output;
  for (size_t i = 0; code == 0 && i < sizeof(output) / sizeof(float) && i < 5; ++i) printf("%g ", (double)values[i]);
  printf("\n");
  return code != 0;
}
