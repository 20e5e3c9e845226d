// The main function of `hone-compiler`, also used by a `hone` that is started under that name.
#pragma once

namespace hone {

// Serves candidates and references until its peer closes (compile_worker.h). Returns the exit code.
int CompilerMain(int argc, char** argv);

}  // namespace hone
