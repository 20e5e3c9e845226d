#include "tests/support/emulated_program.h"

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/codegen/arm_helpers.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"
#include "core/error.h"

LLD_HAS_DRIVER(elf)

namespace hone::testing {
namespace {

constexpr int64_t kPage = 4096;
// Numbers of system calls, which are the same on AArch64 and RISC-V.
struct SystemCalls {
  int64_t read = 63, write = 64, exit = 93, mprotect = 226;
};
constexpr SystemCalls kArmCalls{3, 4, 1, 125};
constexpr int64_t kNobody = 0, kReadOnly = 1;  // page protections: no access, read only
constexpr int64_t kWroteBeside = 3;            // the program's exit code after a write beside a buffer
constexpr int64_t kNans = -1;                  // in all eight bytes: NaNs of any float type

bool IsRiscv(const Target& target) { return target.triple.starts_with("riscv64"); }
bool IsArm(const Target& target) { return target.triple.starts_with("armv7"); }

const char* LinkerEmulation(const Target& target) {
  if (IsArm(target)) return "armelf_linux_eabi";
  return IsRiscv(target) ? "elf64lriscv" : "aarch64linux";
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string ReadBytes(const std::string& path) {
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void LinkProgram(const std::string& out, const std::vector<std::string>& objects, const Target& target) {
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  std::vector<const char*> args{"ld.lld",       "-static", "-m",       LinkerEmulation(target), "--threads=1", "-mllvm",
                                "-disable-lsr", "-o",      out.c_str()};
  for (const std::string& object : objects) args.push_back(object.c_str());
  if (lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}}).retCode == 0) return;
  throw Error(ExitCode::kBug, "the emulated program does not link: " + messages);
}

// A folder of its own, removed with it.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "hone-emulated-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw Error(ExitCode::kCannotCreate, "no folder " + path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace

// Emits _start.
struct EmulatedProgram::Emitter {
 public:
  explicit Emitter(const Target& target)
      : b_(target, MachineModelFor(target)), calls_(IsArm(target) ? kArmCalls : SystemCalls()), target_(target) {
    auto& ir = b_.ir();
    auto* start = llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), false),
                                         llvm::Function::ExternalLinkage, "_start", &b_.module());
    ir.SetInsertPoint(llvm::BasicBlock::Create(b_.context(), "entry", start));
  }

  std::string Finish() {
    auto& ir = b_.ir();
    Value* whole = b_.Index(kNans);
    for (const Memory& each : memory_) {
      whole = ir.CreateAnd(whole, Margin(each, 0, each.offset));
      whole = ir.CreateAnd(whole, Margin(each, each.offset + each.bytes, each.pages));
    }
    SystemCall(calls_.exit,
               ir.CreateSelect(ir.CreateICmpEQ(whole, b_.Index(kNans)), b_.Index(0), b_.Index(kWroteBeside)),
               b_.Index(0), b_.Index(0));
    b_.ir().CreateUnreachable();
    return EmitObject(b_, target_);
  }

  // NaNs between two inaccessible pages, laid out as by GuardedBuffer. Returns the memory's number.
  size_t Guarded(int64_t bytes) {
    Memory memory;
    memory.bytes = bytes;
    memory.pages = (bytes + kPage - 1) / kPage * kPage;
    memory.offset = (memory.pages - bytes) / 64 * 64;
    auto* whole = Zeroed(memory.pages + 2 * kPage);
    whole->setAlignment(llvm::Align(kPage));
    memory.begin = b_.At(whole, kPage);
    Protect(whole, kPage, kNobody);
    Protect(b_.At(memory.begin, memory.pages), kPage, kNobody);
    b_.For(0, memory.pages, 8, [&](Value* i) { b_.ir().CreateStore(b_.Index(kNans), b_.At(memory.begin, i)); });
    memory_.push_back(memory);
    return memory_.size() - 1;
  }

  Value* Data(size_t memory) { return b_.At(memory_.at(memory).begin, memory_.at(memory).offset); }
  int64_t Bytes(size_t memory) const { return memory_.at(memory).bytes; }
  void MakeReadOnly(size_t memory) { Protect(memory_.at(memory).begin, memory_.at(memory).pages, kReadOnly); }

  llvm::GlobalVariable* Zeroed(int64_t bytes) {
    auto* type = llvm::ArrayType::get(b_.ir().getInt8Ty(), static_cast<uint64_t>(bytes));
    auto* global = new llvm::GlobalVariable(b_.module(), type, false, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantAggregateZero::get(type), "buffer");
    global->setAlignment(llvm::Align(64));
    return global;
  }

  void Call(const std::vector<Operand>& operands, const std::vector<KernelStage>& stages, int64_t shared_bytes) {
    auto& ir = b_.ir();
    Value* args = Arguments(operands);
    ir.CreateStore(Data(Guarded(shared_bytes)), b_.At(args, 2 * pointer_bytes_));
    for (const KernelStage& stage : stages) {
      ir.CreateStore(Data(Guarded(stage.worker_workspace_bytes)), b_.At(args, 3 * pointer_bytes_));
      auto callee = b_.module().getOrInsertFunction(
          stage.symbol, llvm::FunctionType::get(b_.i32(), {ir.getPtrTy(), b_.i64(), b_.i64()}, false));
      // In parts, RISC-V code reaches vector instructions on which QEMU 7.2 fails an assertion of its own.
      const int64_t cut = IsRiscv(target_) ? 0 : stage.extent / 2;
      ir.CreateCall(callee, {args, b_.Index(cut), b_.Index(stage.extent)});
      if (cut > 0) ir.CreateCall(callee, {args, b_.Index(0), b_.Index(cut)});
    }
  }

  void Read(Value* buffer, int64_t bytes) { Transfer(calls_.read, 0, buffer, bytes); }
  void Write(Value* buffer, int64_t bytes) { Transfer(calls_.write, 1, buffer, bytes); }

 private:
  // Repeats until all bytes went through, because a pipe may transfer fewer.
  void Transfer(int64_t number, int64_t fd, Value* buffer, int64_t bytes) {
    auto& ir = b_.ir();
    auto* function = ir.GetInsertBlock()->getParent();
    auto* before = ir.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(b_.context(), "transfer", function);
    auto* done = llvm::BasicBlock::Create(b_.context(), "transferred", function);
    ir.CreateBr(head);
    ir.SetInsertPoint(head);
    auto* moved = ir.CreatePHI(b_.i64(), 2);
    moved->addIncoming(b_.Index(0), before);
    Value* n = SystemCall(number, b_.Index(fd), ir.CreatePtrToInt(b_.At(buffer, static_cast<Value*>(moved)), b_.i64()),
                          b_.Sub(b_.Index(bytes), moved));
    Value* next = ir.CreateAdd(moved, n);
    moved->addIncoming(next, head);
    ir.CreateCondBr(ir.CreateICmpSLT(next, b_.Index(bytes)), head, done);
    ir.SetInsertPoint(done);
  }

  struct Memory {
    Value* begin = nullptr;  // start of its pages
    int64_t pages = 0;       // size of its pages
    int64_t offset = 0;      // offset of the data
    int64_t bytes = 0;       // size of the data
  };

  // The bytes there combined: kNans when nothing has written between the two.
  Value* Margin(const Memory& memory, int64_t from, int64_t to) {
    return b_.Loop(from, to, 1, {b_.Index(kNans)}, [&](Value* i, const Vals& carried) -> Vals {
      Value* byte = b_.LoadAs(b_.ir().getInt8Ty(), b_.At(memory.begin, i));
      return {b_.ir().CreateAnd(carried[0], b_.ir().CreateSExt(byte, b_.i64()))};
    })[0];
  }

  void Protect(Value* begin, int64_t bytes, int64_t who) {
    SystemCall(calls_.mprotect, b_.ir().CreatePtrToInt(begin, b_.i64()), b_.Index(bytes), b_.Index(who));
  }

  Value* Arguments(const std::vector<Operand>& operands) {
    auto& ir = b_.ir();
    Value* pointers = Zeroed(static_cast<int64_t>(operands.size()) * 8);
    Value* steps = Zeroed(static_cast<int64_t>(operands.size()) * 8);
    for (size_t i = 0; i < operands.size(); ++i) {
      Value* begin = Data(buffers.at(static_cast<size_t>(operands[i].buffer)));
      ir.CreateStore(b_.At(begin, operands[i].offset_bytes), b_.At(pointers, static_cast<int64_t>(i) * pointer_bytes_));
      ir.CreateStore(b_.Index(operands[i].batch_stride_bytes), b_.At(steps, static_cast<int64_t>(i) * 8));
    }
    Value* args = Zeroed(40);
    ir.CreateStore(pointers, args);
    ir.CreateStore(steps, b_.At(args, pointer_bytes_));
    return args;
  }

  Value* SystemCall(int64_t number, Value* a, Value* b, Value* c) {
    auto& ir = b_.ir();
    llvm::Type* word = ir.getIntNTy(static_cast<unsigned>(8 * pointer_bytes_));
    auto* type = llvm::FunctionType::get(word, {word, word, word, word}, false);
    const char* instruction = IsRiscv(target_) ? "ecall" : "svc #0";
    const char* registers = IsRiscv(target_) ? "={a0},{a7},{a0},{a1},{a2},~{memory}"
                            : IsArm(target_) ? "={r0},{r7},{r0},{r1},{r2},~{memory}"
                                             : "={x0},{x8},{x0},{x1},{x2},~{memory}";
    const auto to_word = [&](Value* value) { return ir.CreateTrunc(value, word); };
    Value* result = ir.CreateCall(llvm::InlineAsm::get(type, instruction, registers, true),
                                  {to_word(b_.Index(number)), to_word(a), to_word(b), to_word(c)});
    return ir.CreateSExt(result, b_.i64());
  }

  KernelBuilder b_;
  const SystemCalls calls_;
  const int64_t pointer_bytes_ = b_.module().getDataLayout().getPointerSize();

 public:
  const Target target_;
  std::vector<size_t> buffers;  // indices into the memory

 private:
  std::vector<Memory> memory_;
};

std::string EmulatorFor(const Target& target) {
  const bool aarch64 = target.triple.starts_with("aarch64");
  if (!aarch64 && !IsArm(target) && !IsRiscv(target)) return "";
  std::string program = aarch64 ? "qemu-aarch64-static" : IsArm(target) ? "qemu-arm-static" : "qemu-riscv64-static";
  if (std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) != 0) return "";
  if (aarch64) return program;
  const MachineModel machine = MachineModelFor(target);
  // Each CPU has the features that its machine row names and nothing newer.
  if (IsArm(target)) return program + (machine.has_fma ? " -cpu cortex-a15" : " -cpu cortex-a9");
  return machine.name == "rvv" ? fmt::format("{} -cpu rv64,v=true,vlen={}", program, machine.vector_lanes * 32)
                               : program + " -cpu rv64";
}

EmulatedProgram::EmulatedProgram(const Target& target) : emitter_(std::make_unique<Emitter>(target)) {}

EmulatedProgram::~EmulatedProgram() = default;

int EmulatedProgram::AddBuffer(int64_t bytes) {
  emitter_->buffers.push_back(emitter_->Guarded(bytes));
  return static_cast<int>(emitter_->buffers.size()) - 1;
}

void EmulatedProgram::Read(int buffer) {
  const size_t memory = emitter_->buffers.at(static_cast<size_t>(buffer));
  emitter_->Read(emitter_->Data(memory), emitter_->Bytes(memory));
  emitter_->MakeReadOnly(memory);
}

void EmulatedProgram::Write(int buffer) {
  const size_t memory = emitter_->buffers.at(static_cast<size_t>(buffer));
  emitter_->Write(emitter_->Data(memory), emitter_->Bytes(memory));
}

void EmulatedProgram::Call(const std::vector<Operand>& operands, const std::vector<KernelStage>& stages,
                           int64_t shared_workspace_bytes) {
  emitter_->Call(operands, stages, shared_workspace_bytes);
}

std::string EmulatedProgram::Run(const std::vector<std::string>& objects, const std::string& input) {
  const ScratchFolder folder;
  std::vector<std::string> files{folder / "start.o"};
  WriteBytes(files[0], emitter_->Finish());
  for (const std::string& object : objects) {
    files.push_back(folder / fmt::format("{}.o", files.size()));
    WriteBytes(files.back(), object);
  }
  if (IsArm(emitter_->target_)) {
    files.push_back(folder / "helpers.o");
    WriteBytes(files.back(), ArmHelpers(emitter_->target_));
  }
  LinkProgram(folder / "program", files, emitter_->target_);
  WriteBytes(folder / "in", input);
  const std::string command =
      fmt::format("chmod +x {0} && {1} {0} < {2} > {3} 2> {4}", folder / "program", EmulatorFor(emitter_->target_),
                  folder / "in", folder / "out", folder / "err");
  if (const int status = std::system(command.c_str()); status != 0) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == kWroteBeside)
      throw Error(ExitCode::kBug, "a kernel wrote beside its buffers");
    const std::string said = ReadBytes(folder / "err");
    if (said.find("Assertion") != std::string::npos) throw EmulatorGaveUp(said);
    throw Error(ExitCode::kBug, fmt::format("the emulated program ends with status {}: {}", status, said));
  }
  return ReadBytes(folder / "out");
}

}  // namespace hone::testing
