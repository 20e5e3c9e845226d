#include "compiler/codegen/target/target_machine.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>

#include "core/error.h"

namespace hone {

// The architectures of core/machine/machine_rows.cc; a program that links LLVM statically has no others.
#define HONE_INITIALIZE_TARGET(arch)    \
  do {                                  \
    LLVMInitialize##arch##TargetInfo(); \
    LLVMInitialize##arch##Target();     \
    LLVMInitialize##arch##TargetMC();   \
    LLVMInitialize##arch##AsmPrinter(); \
    LLVMInitialize##arch##AsmParser();  \
  } while (false)

void InitializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    HONE_INITIALIZE_TARGET(X86);
    HONE_INITIALIZE_TARGET(AArch64);
    HONE_INITIALIZE_TARGET(ARM);
    HONE_INITIALIZE_TARGET(RISCV);
  });
}

#undef HONE_INITIALIZE_TARGET

std::string FeatureString(const Target& target) {
  const std::string given = fmt::format("{}", fmt::join(target.features, ","));
  const llvm::Triple triple(target.triple);
  std::string always;
  // Debian's LLVM leaves NEON out of ARMv7's CPUs, as Debian's armhf does, but every kernel uses it. Most of these CPUs
  // lack the scheduler that counts registers; with it a third of the spills remain.
  if (triple.isARM()) always = "+neon,+use-misched";
  // sse4a is a few of AMD's own shuffles, and no list of required features names it. Without it, code for AMD's CPUs
  // runs on others with the same vector instructions.
  if (triple.isX86()) always = "-sse4a";
  // The target's own features come last and win.
  return given.empty() || always.empty() ? always + given : fmt::format("{},{}", always, given);
}

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const Target& target) {
  InitializeTargets();
  std::string reason;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, reason);
  if (!found) throw Error(ExitCode::kBadData, fmt::format("target triple '{}': {}", target.triple, reason));
  llvm::TargetOptions options;
  // Products are fused with sums if the instructions' flags allow it; KernelBuilder sets those.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  if (llvm::Triple(target.triple).isRISCV()) options.MCOptions.ABIName = "lp64d";
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(target.triple, target.cpu, FeatureString(target), options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

}  // namespace hone
