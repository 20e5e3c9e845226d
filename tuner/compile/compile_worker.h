// The process that compiles, and dies of a candidate if it must.
#pragma once

#include <functional>
#include <variant>

#include "compiler/compile_kernel.h"

namespace hone {

struct Compilers {
  std::function<std::variant<Artifact, Rejection>(const Candidate&)> kernel;
  std::function<Artifact(const Workload&, const Target&)> reference;
};

// The whole of `hone-compiler --fd N --memory BYTES --deadline NS [--cores 0,1]`: bounds its address space, and the CPU
// time of each request by the deadline; then says hello and serves requests (compile_message.h) over descriptor N until
// the other side closes it. Returns the exit code. It is no boundary against malice: what it compiles, hone wrote.
int CompileWorkerMain(int argc, char** argv, const Compilers& compilers);

}  // namespace hone
