// The program `hone-compiler`: compiles candidates for `hone tune` in a process of its own.
#include "tuner/compile/compile_worker.h"

int main(int argc, char** argv) { return hone::CompilerMain(argc, argv); }
