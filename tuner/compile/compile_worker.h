// The process that compiles, so that a fatal candidate ends only it.
#pragma once

#include <functional>
#include <variant>

#include "compiler/compile_kernel.h"

namespace hone {

struct Compilers {
  std::function<std::variant<Artifact, Rejection>(const Candidate&)> kernel;
  std::function<Artifact(const Workload&, const Target&)> reference;
};

// The whole of `hone-compiler --fd N --memory BYTES --deadline NS [--cores 0,1]`. Limits its address space, and the
// CPU time of each request by the deadline. Then says hello and serves requests (compile_message.h) over descriptor N
// until the other side closes it. Returns the exit code. It is no boundary against malice: hone itself wrote the code
// that it compiles.
int CompileWorkerMain(int argc, char** argv, const Compilers& compilers);

// CompileWorkerMain with the compiler of this program: the main function of `hone-compiler`, also used by a `hone` that
// is started under that name.
int CompilerMain(int argc, char** argv);

}  // namespace hone
