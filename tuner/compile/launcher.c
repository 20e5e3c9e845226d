/* `hone-compiler` in builds whose programs contain LLVM (HONE_STATIC_LLVM). It starts the `hone` beside it under this
 * name, so that LLVM is installed only once. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static const char kProgram[] = "hone", kName[] = "hone-compiler";
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - sizeof kProgram);
  char* name = NULL;
  if (argc > 0 && size > 0 && (size_t)size < sizeof path - sizeof kProgram) {
    path[size] = '\0';
    name = strrchr(path, '/');
  }
  if (name != NULL) {
    memcpy(name + 1, kProgram, sizeof kProgram);
    argv[0] = (char*)kName;
    execv(path, argv);
  }
  fprintf(stderr, "hone-compiler: cannot start %s; the program hone beside it would be right\n",
          name != NULL ? path : kProgram);
  return 66;
}
