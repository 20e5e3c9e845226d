// For programs that hold LLVM (HONE_STATIC_LLVM): lld starts every architecture that LLVM was built for. Those that
// hone does not compile for, which HONE_OTHER_TARGETS lists, do nothing and are not linked in.
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
