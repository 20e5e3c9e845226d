// The program `hone-compiler`: compiles candidates for `hone tune` in a process of its own.
#include "compiler/build.h"
#include "tuner/compile/compile_worker.h"

int main(int argc, char** argv) {
  return hone::CompileWorkerMain(
      argc, argv,
      {[](const hone::Candidate& candidate) { return hone::CompileKernel(candidate); }, hone::CompileReference});
}
