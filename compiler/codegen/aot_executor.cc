#include "compiler/codegen/aot_executor.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/memory_file.h"
#include "compiler/codegen/target/object.h"
#include "core/error.h"
#include "core/machine/required_features.h"
#include "core/package/package_format.h"

namespace hone {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

[[noreturn]] void Refuse(const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("the kernels' object: {}", why));
}

template <typename T>
T Checked(llvm::Expected<T> value) {
  if (!value) Refuse(llvm::toString(value.takeError()));
  return std::move(*value);
}

template <typename Elf>
std::string BytesOf(const llvm::object::ELFFile<Elf>& file) {
  std::string bytes;
  for (const auto& segment : Checked(file.program_headers())) {
    if (segment.p_type != llvm::ELF::PT_LOAD) continue;
    const uint64_t begin = segment.p_vaddr, end = begin + segment.p_memsz, offset = segment.p_offset;
    if (end < begin || end > kMostBytes || segment.p_filesz > segment.p_memsz || offset > file.getBufSize() ||
        segment.p_filesz > file.getBufSize() - offset) {
      Refuse("a segment lies outside of it");
    }
    bytes.resize(std::max<uint64_t>(bytes.size(), end));
    std::copy_n(file.base() + offset, segment.p_filesz, bytes.data() + begin);
  }
  return bytes;
}

template <typename Elf>
void RefuseAddresses(const llvm::object::ELFFile<Elf>& file) {
  for (const auto& section : Checked(file.sections())) {
    const bool relocates = section.sh_type == llvm::ELF::SHT_REL || section.sh_type == llvm::ELF::SHT_RELA;
    if (relocates && section.sh_size > 0) Refuse("it holds addresses, so it cannot lie anywhere");
  }
}

template <typename Elf>
KernelImage Read(const llvm::object::ELFObjectFile<Elf>& object) {
  RefuseAddresses(object.getELFFile());
  KernelImage image;
  image.bytes = BytesOf(object.getELFFile());
  for (const llvm::object::ELFSymbolRef symbol : object.getDynamicSymbolIterators()) {
    const std::string name = Checked(symbol.getName()).str();
    const bool function = symbol.getELFType() == llvm::ELF::STT_FUNC;
    if (!function && name != kKernelTableSymbol) continue;
    const uint64_t at = Checked(symbol.getAddress());
    if (at >= image.bytes.size()) Refuse(fmt::format("{} lies outside of it", name));
    if (function) {
      image.functions.emplace(name, at);
    } else {
      image.table = image.bytes.substr(at, image.bytes.find('\0', at) - at);
    }
  }
  return image;
}

}  // namespace

KernelImage ReadKernelImage(std::string_view lib) {
  const auto object = Checked(llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(lib.data(), lib.size()), "lib")));
  if (const auto* of64 = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(object.get())) return Read(*of64);
  if (const auto* of32 = llvm::dyn_cast<llvm::object::ELF32LEObjectFile>(object.get())) return Read(*of32);
  Refuse("it is of no machine that hone knows");
}

namespace {

constexpr int64_t kAlign = 64;
constexpr int64_t kReach = (int64_t{1} << 31) - (int64_t{1} << 20);

int64_t RoundUp(int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

int64_t MostSharedBytes(const Plan& plan) {
  int64_t most = 0;
  for (const PlanKernel& kernel : plan.kernels) most = std::max(most, kernel.shared_workspace_bytes);
  return RoundUp(most);
}

int64_t MostWorkerBytes(const Plan& plan) {
  int64_t most = 0;
  for (const PlanKernel& kernel : plan.kernels) {
    for (const KernelStage& stage : kernel.stages) most = std::max(most, stage.worker_workspace_bytes);
  }
  return RoundUp(most);
}

// An assembler section that includes the file's existing bytes.
std::string SectionOf(const std::string& section, const char* flags, int align, const std::string& symbol,
                      const MemoryFile& file) {
  return fmt::format(".section {},\"{}\",%progbits\n.balign {}\n{}:\n.incbin \"{}\"\n", section, flags, align, symbol,
                     file.path());
}

// The control word of floating-point arithmetic; runtime/threads/thread_state.cc sets the same bits.
class ControlWord {
 public:
  ControlWord(llvm::IRBuilder<>& ir, const std::string& triple) : ir_(ir), arch_(llvm::Triple(triple).getArch()) {}

  // Returns the former word; null if the architecture has none.
  Value* FlushDenormals() {
    Value* was = Read();
    if (was != nullptr) Write(ir_.CreateOr(was, flush()));
    return was;
  }
  void Restore(Value* was) {
    if (was != nullptr) Write(was);
  }

 private:
  uint64_t flush() const { return arch_ == llvm::Triple::x86_64 ? 0x8040 : uint64_t{1} << 24U; }

  Value* Read() {
    switch (arch_) {
      case llvm::Triple::x86_64:
        slot_ = ir_.CreateAlloca(ir_.getInt32Ty());
        ir_.CreateIntrinsic(llvm::Intrinsic::x86_sse_stmxcsr, {}, {slot_});
        return ir_.CreateLoad(ir_.getInt32Ty(), slot_);
      case llvm::Triple::aarch64:
        return ir_.CreateCall(Assembly(ir_.getInt64Ty(), {}, "mrs $0, fpcr", "=r"));
      case llvm::Triple::arm:
        return ir_.CreateCall(Assembly(ir_.getInt32Ty(), {}, "vmrs $0, fpscr", "=r"));
      default:
        return nullptr;  // RISC-V has no such mode
    }
  }

  void Write(Value* word) {
    if (arch_ == llvm::Triple::x86_64) {
      ir_.CreateStore(word, slot_);
      ir_.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {slot_});
    } else {
      const char* text = arch_ == llvm::Triple::aarch64 ? "msr fpcr, $0" : "vmsr fpscr, $0";
      ir_.CreateCall(Assembly(ir_.getVoidTy(), {word->getType()}, text, "r"), {word});
    }
  }

  llvm::InlineAsm* Assembly(llvm::Type* result, llvm::ArrayRef<llvm::Type*> of, const char* text,
                            const char* operands) {
    // The clobber keeps loads and stores, which are the kernels' work, from moving across the instruction.
    return llvm::InlineAsm::get(llvm::FunctionType::get(result, of, false), text,
                                fmt::format("{},~{{memory}}", operands), true);
  }

  llvm::IRBuilder<>& ir_;
  const llvm::Triple::ArchType arch_;
  Value* slot_ = nullptr;
};

class Executor {
 public:
  Executor(const AotModel& model, KernelBuilder& builder)
      : model_(model), plan_(model.plan), b_(builder), ir_(builder.ir()), image_(model.image) {}

  std::string Emit() {
    // The files must live until the object is written, because the assembler reads them then.
    const MemoryFile kernels("kernels"), params("params");
    kernels.Write(image_.bytes);
    params.Write(model_.params);
    std::string sections = SectionOf(".text." + Symbol("kernels"), "ax", 4096, Symbol("kernels"), kernels) +
                           SectionOf(".rodata." + Symbol("params"), "a", kAlign, Symbol("params"), params);
    b_.module().setModuleInlineAsm(sections + ".text\n");
    kernels_ = Elsewhere("kernels");
    params_ = Elsewhere("params");
    Begin();
    ControlWord control(ir_, plan_.target.triple);
    Value* const was = control.FlushDenormals();
    for (const PlanCall& call : plan_.calls) Call(call);
    ir_.CreateBr(done_);
    code_->addIncoming(ir_.getInt32(0), ir_.GetInsertBlock());
    ir_.SetInsertPoint(done_);
    control.Restore(was);
    ir_.CreateRet(code_);
    return EmitObject(b_, plan_.target);
  }

 private:
  std::string Symbol(const char* of) const { return model_.name + "_" + of; }

  // A symbol that the module's assembly defines.
  llvm::Constant* Elsewhere(const char* of) {
    auto* global = new llvm::GlobalVariable(b_.module(), ir_.getInt8Ty(), true, llvm::GlobalValue::ExternalLinkage,
                                            nullptr, Symbol(of));
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    global->setDSOLocal(true);
    return global;
  }

  void Begin() {
    auto* ptr = ir_.getPtrTy();
    const std::vector<llvm::Type*> pointers(plan_.inputs.size() + plan_.outputs.size() + 1, ptr);
    function_ = llvm::Function::Create(llvm::FunctionType::get(ir_.getInt32Ty(), pointers, false),
                                       llvm::GlobalValue::ExternalLinkage, Symbol("run"), b_.module());
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    ir_.SetInsertPoint(llvm::BasicBlock::Create(b_.context(), "entry", function_));
    done_ = llvm::BasicBlock::Create(b_.context(), "done", function_);
    code_ = llvm::PHINode::Create(ir_.getInt32Ty(), 0, "code", done_);
    size_t most = 1;
    for (const PlanCall& call : plan_.calls) most = std::max(most, call.operands.size());
    operands_ = ir_.CreateAlloca(llvm::ArrayType::get(ptr, most));
    args_type_ = llvm::StructType::get(b_.context(), {ptr, ptr, ptr, ptr, ir_.getInt32Ty(), ir_.getInt32Ty()});
    args_ = ir_.CreateAlloca(args_type_);
    Value* given = function_->getArg(static_cast<unsigned>(pointers.size() - 1));
    memory_ = ir_.CreateSelect(ir_.CreateIsNull(given), OwnMemory(), given);
    SetField(0, operands_);
    SetField(4, ir_.getInt32(0));  // the worker's number
    SetField(5, ir_.getInt32(1));  // the number of workers
  }

  llvm::Constant* OwnMemory() {
    auto* type = llvm::ArrayType::get(ir_.getInt8Ty(), static_cast<uint64_t>(AotMemoryBytes(plan_)));
    auto* own = new llvm::GlobalVariable(b_.module(), type, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantAggregateZero::get(type), Symbol("memory"));
    own->setAlignment(llvm::Align(kAlign));
    return own;
  }

  void SetField(unsigned field, Value* value) { ir_.CreateStore(value, ir_.CreateStructGEP(args_type_, args_, field)); }

  Value* AddressOf(const PlanView& view) {
    const PlanBuffer& buffer = plan_.buffers.at(static_cast<size_t>(view.buffer));
    switch (buffer.kind) {
      case BufferKind::kParam:
        return b_.At(params_, buffer.offset_bytes + view.offset_bytes);
      case BufferKind::kArena:
        return b_.At(memory_, buffer.offset_bytes + view.offset_bytes);
      default:
        return b_.At(Argument(view.buffer), view.offset_bytes);
    }
  }

  Value* Argument(int buffer) {
    const auto in = std::find(plan_.inputs.begin(), plan_.inputs.end(), buffer);
    const auto out = std::find(plan_.outputs.begin(), plan_.outputs.end(), buffer);
    const auto place = in != plan_.inputs.end()
                           ? in - plan_.inputs.begin()
                           : out - plan_.outputs.begin() + static_cast<ptrdiff_t>(plan_.inputs.size());
    return function_->getArg(static_cast<unsigned>(place));
  }

  llvm::Constant* Strides(const PlanCall& call) {
    std::vector<uint64_t> strides;
    for (const PlanView& view : call.operands) strides.push_back(static_cast<uint64_t>(view.batch_stride_bytes));
    llvm::Constant* table = llvm::ConstantDataArray::get(b_.context(), strides);
    return new llvm::GlobalVariable(b_.module(), table->getType(), true, llvm::GlobalValue::PrivateLinkage, table);
  }

  void Call(const PlanCall& call) {
    const PlanKernel& kernel = plan_.kernels.at(static_cast<size_t>(call.kernel));
    for (size_t i = 0; i < call.operands.size(); ++i) {
      ir_.CreateStore(AddressOf(call.operands[i]), ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), operands_, i));
    }
    SetField(1, Strides(call));
    const int64_t arena = RoundUp(plan_.arena_bytes);
    SetField(2, b_.At(memory_, arena));
    SetField(3, b_.At(memory_, arena + MostSharedBytes(plan_)));
    for (const KernelStage& stage : kernel.stages) {
      if (stage.extent > 0) Stage(stage);
    }
  }

  void Stage(const KernelStage& stage) {
    const auto at = image_.functions.find(stage.symbol);
    if (at == image_.functions.end()) {
      throw Error(ExitCode::kBadData, fmt::format("the kernels have no function '{}'", stage.symbol));
    }
    auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getPtrTy(), b_.i64(), b_.i64()}, false);
    Value* function = b_.At(kernels_, static_cast<int64_t>(at->second));
    Value* code = ir_.CreateCall(type, function, {args_, b_.Index(0), b_.Index(stage.extent)});
    code_->addIncoming(code, ir_.GetInsertBlock());
    auto* next = llvm::BasicBlock::Create(b_.context(), "next", function_, done_);
    ir_.CreateCondBr(ir_.CreateIsNull(code), next, done_);
    ir_.SetInsertPoint(next);
  }

  const AotModel& model_;
  const Plan& plan_;
  KernelBuilder& b_;
  llvm::IRBuilder<>& ir_;
  const KernelImage& image_;
  llvm::Constant *kernels_ = nullptr, *params_ = nullptr;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* done_ = nullptr;
  llvm::PHINode* code_ = nullptr;
  llvm::StructType* args_type_ = nullptr;
  Value *operands_ = nullptr, *args_ = nullptr, *memory_ = nullptr;
};

}  // namespace

int64_t AotMemoryBytes(const Plan& plan) {
  return std::max(kAlign, RoundUp(plan.arena_bytes) + MostSharedBytes(plan) + MostWorkerBytes(plan));
}

std::string EmitAotObject(const AotModel& model) {
  const std::vector<std::string> needed = RequiredFeatures(model.plan);
  if (std::find(needed.begin(), needed.end(), "amx-tile") != needed.end()) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("code for {} asks the system for its tile registers first, which libhone does; --executor "
                            "graph, or a target without amx, would be right",
                            model.plan.target.ToText()));
  }
  if (!model.plan.states.empty()) {
    throw Error(ExitCode::kUsage,
                "the package keeps states between runs, which libhone does; --executor graph would be right");
  }
  if (!model.plan.ranged.empty()) {
    throw Error(ExitCode::kUsage,
                fmt::format("the package leaves the dimension {0} to each run, and --executor aot "
                            "takes fixed shapes; --dim {0}=N of `hone build`, or --executor graph, "
                            "would be right",
                            model.plan.buffers[static_cast<size_t>(model.plan.ranged[0].extent)].name));
  }
  if (!model.plan.counted.empty()) {
    throw Error(
        ExitCode::kUsage,
        "how many rows an output has follows from data, which libhone tells after a run; --executor graph would "
        "be right");
  }
  const auto bytes = static_cast<int64_t>(model.params.size() + model.image.bytes.size()) + AotMemoryBytes(model.plan);
  if (bytes > kReach) {
    throw Error(ExitCode::kUsage, fmt::format("{} bytes of code, parameters and memory are more than the 2 GiB that "
                                              "linked code reaches; --executor graph would be right",
                                              bytes));
  }
  KernelBuilder builder(model.plan.target, MachineModelFor(model.plan.target));
  return Executor(model, builder).Emit();
}

}  // namespace hone
