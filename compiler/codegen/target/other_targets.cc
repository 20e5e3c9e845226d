// For programs that link LLVM statically (HONE_STATIC_LLVM). lld initialises every architecture that LLVM was built
// for. The initialisers of those that hone does not compile for (HONE_OTHER_TARGETS) are empty here, so their code is
// not linked in.
#define HONE_NO_TARGET(arch)                          \
  extern "C" void LLVMInitialize##arch##TargetInfo(); \
  extern "C" void LLVMInitialize##arch##Target();     \
  extern "C" void LLVMInitialize##arch##TargetMC();   \
  extern "C" void LLVMInitialize##arch##AsmPrinter(); \
  extern "C" void LLVMInitialize##arch##AsmParser();  \
  void LLVMInitialize##arch##TargetInfo() {}          \
  void LLVMInitialize##arch##Target() {}              \
  void LLVMInitialize##arch##TargetMC() {}            \
  void LLVMInitialize##arch##AsmPrinter() {}          \
  void LLVMInitialize##arch##AsmParser() {}

HONE_OTHER_TARGETS
