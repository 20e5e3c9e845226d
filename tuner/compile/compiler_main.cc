#include "tuner/compile/compiler_main.h"

#include "compiler/compile_kernel.h"
#include "tuner/compile/compile_worker.h"

namespace hone {

int CompilerMain(int argc, char** argv) {
  return CompileWorkerMain(argc, argv,
                           {[](const Candidate& candidate) { return CompileKernel(candidate); }, CompileReference});
}

}  // namespace hone
