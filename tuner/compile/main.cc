// The program `hone-compiler`: compiles candidates for `hone tune` in a process of its own.
#include "tuner/compile/compiler_main.h"

int main(int argc, char** argv) { return hone::CompilerMain(argc, argv); }
