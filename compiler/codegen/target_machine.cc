#include "compiler/codegen/target_machine.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>

#include "core/error.h"

namespace hone {

// The architectures of core/machine_rows.cc; a program that holds LLVM itself has no others.
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
  // Debian's LLVM leaves NEON out of ARMv7's CPUs, as its armhf does; every kernel has it. The scheduler that most of
  // these CPUs do without knows how many registers there are, and spills a third of what is spilt else.
  if (triple.isARM()) always = "+neon,+use-misched";
  // A few shuffles of AMD's own, which no list of required features names: code for its CPUs runs on others of the same
  // vector instructions.
  if (triple.isX86()) always = "-sse4a";
  // What is given comes later and wins.
  return given.empty() || always.empty() ? always + given : fmt::format("{},{}", always, given);
}

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const Target& target) {
  InitializeTargets();
  std::string reason;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, reason);
  if (!found) throw Error(ExitCode::kBadData, fmt::format("target triple '{}': {}", target.triple, reason));
  llvm::TargetOptions options;
  // Products are fused with sums where the instructions' flags say so: KernelBuilder sets them.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  if (llvm::Triple(target.triple).isRISCV()) options.MCOptions.ABIName = "lp64d";
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(target.triple, target.cpu, FeatureString(target), options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

}  // namespace hone
