// What the program `hone-compiler` is, for it and for a `hone` that is called by that name.
#pragma once

namespace hone {

// Serves candidates and references until its peer closes (compile_worker.h). Returns the exit code.
int CompilerMain(int argc, char** argv);

}  // namespace hone
