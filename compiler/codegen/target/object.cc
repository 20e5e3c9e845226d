#include "compiler/codegen/target/object.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>
#include <shared_mutex>

#include "compiler/codegen/target/llvm_options.h"
#include "compiler/codegen/target/target_machine.h"
#include "core/error.h"

namespace hone {
namespace {

void SetLlvmOptions() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto& registered = llvm::cl::getRegisteredOptions();
    for (const LlvmOption& option : kLlvmOptions) {
      static_cast<llvm::cl::opt<bool>*>(registered[option.name])->setValue(option.value);
    }
  });
}

std::string Emit(KernelBuilder& builder, const Target& target, llvm::CodeGenFileType type) {
  auto machine = MakeTargetMachine(target);
  SetLlvmOptions();
  std::string problem;
  llvm::raw_string_ostream problem_stream(problem);
  if (llvm::verifyModule(builder.module(), &problem_stream)) {
    throw Error(ExitCode::kBug,
                fmt::format("a kernel's IR does not verify: {}", problem.substr(0, problem.find('\n'))));
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
    throw Error(ExitCode::kBadData, fmt::format("LLVM cannot write objects for '{}'", target.triple));
  }
  const std::shared_lock<std::shared_mutex> hold(LlvmOptionsLock());
  passes.run(builder.module());
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::string EmitObject(KernelBuilder& builder, const Target& target) {
  return Emit(builder, target, llvm::CodeGenFileType::ObjectFile);
}

std::string EmitText(const std::string& symbol, const std::string& text, const Target& target) {
  KernelBuilder builder(target, MachineModelFor(target));
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(builder.context(), text);
  new llvm::GlobalVariable(builder.module(), bytes->getType(), true, llvm::GlobalValue::ExternalLinkage, bytes, symbol);
  return EmitObject(builder, target);
}

std::string EmitAssembly(KernelBuilder& builder, const Target& target) {
  return Emit(builder, target, llvm::CodeGenFileType::AssemblyFile);
}

std::string LlvmVersion() { return LLVM_VERSION_STRING; }

}  // namespace hone
