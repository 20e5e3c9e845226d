#include "tests/support/emulated_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <lld/Common/Driver.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/object.h"
#include "core/layout.h"

LLD_HAS_DRIVER(elf)

namespace hone::testing {
namespace {

bool IsRiscv(const Target& target) { return target.triple.starts_with("riscv64"); }

// Emits _start: reads every input operand from stdin, runs the stages, writes the output operand to stdout, exits.
class ProgramEmitter {
 public:
  ProgramEmitter(const Target& target, const MachineModel& machine) : b_(target, machine), target_(target) {}

  std::string Emit(const CompiledKernel& kernel) {
    auto& ir = b_.ir();
    auto* start = llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), false),
                                         llvm::Function::ExternalLinkage, "_start", &b_.module());
    ir.SetInsertPoint(llvm::BasicBlock::Create(b_.context(), "entry", start));
    std::vector<llvm::Constant*> buffers, strides;
    for (const KernelOperand& operand : kernel.operands) {
      const Shape physical = operand.layout.PhysicalShape(operand.shape);
      const int64_t bytes = ElementCount(physical) * 4;
      buffers.push_back(Zeroed(bytes));
      strides.push_back(ir.getInt64(static_cast<uint64_t>(bytes / physical[0])));
      if (operand.role != OperandRole::kOutput) Transfer(63, 0, buffers.back(), bytes);
    }
    Value* args = Arguments(buffers, strides);
    ir.CreateStore(Zeroed(kernel.emitted.shared_workspace_bytes), b_.At(args, int64_t{16}));
    for (const KernelStage& stage : kernel.emitted.stages) {
      ir.CreateStore(Zeroed(stage.worker_workspace_bytes), b_.At(args, int64_t{24}));
      auto callee = b_.module().getOrInsertFunction(
          stage.symbol, llvm::FunctionType::get(b_.i32(), {ir.getPtrTy(), b_.i64(), b_.i64()}, false));
      ir.CreateCall(callee, {args, b_.Index(0), b_.Index(stage.extent)});
    }
    const Shape out = kernel.operands.back().layout.PhysicalShape(kernel.operands.back().shape);
    Transfer(64, 1, buffers.back(), ElementCount(out) * 4);
    SystemCall(93, b_.Index(0), b_.Index(0), b_.Index(0));
    ir.CreateUnreachable();
    return EmitObject(b_, target_);
  }

 private:
  llvm::GlobalVariable* Zeroed(int64_t bytes) {
    auto* type = llvm::ArrayType::get(b_.ir().getInt8Ty(), static_cast<uint64_t>(bytes));
    auto* global = new llvm::GlobalVariable(b_.module(), type, false, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantAggregateZero::get(type), "buffer");
    global->setAlignment(llvm::Align(64));
    return global;
  }

  Value* Arguments(const std::vector<llvm::Constant*>& buffers, const std::vector<llvm::Constant*>& strides) {
    auto& ir = b_.ir();
    Value* pointers = Zeroed(static_cast<int64_t>(buffers.size()) * 8);
    Value* steps = Zeroed(static_cast<int64_t>(strides.size()) * 8);
    for (size_t i = 0; i < buffers.size(); ++i) {
      ir.CreateStore(buffers[i], b_.At(pointers, static_cast<int64_t>(i) * 8));
      ir.CreateStore(strides[i], b_.At(steps, static_cast<int64_t>(i) * 8));
    }
    Value* args = Zeroed(40);
    ir.CreateStore(pointers, args);
    ir.CreateStore(steps, b_.At(args, int64_t{8}));
    return args;
  }

  // read (63) or write (64) until all bytes went through: a pipe gives them in parts.
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

  Value* SystemCall(int64_t number, Value* a, Value* b, Value* c) {
    auto* type = llvm::FunctionType::get(b_.i64(), {b_.i64(), b_.i64(), b_.i64(), b_.i64()}, false);
    auto* call = IsRiscv(target_) ? llvm::InlineAsm::get(type, "ecall", "={a0},{a7},{a0},{a1},{a2},~{memory}", true)
                                  : llvm::InlineAsm::get(type, "svc #0", "={x0},{x8},{x0},{x1},{x2},~{memory}", true);
    return b_.ir().CreateCall(call, {b_.Index(number), a, b, c});
  }

  KernelBuilder b_;
  const Target& target_;
};

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void LinkProgram(const std::string& folder, const Target& target) {
  const std::string program = folder + "/p.o", kernel = folder + "/k.o", out = folder + "/program";
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const std::vector<const char*> args{
      "ld.lld",       "-static", "-m",           IsRiscv(target) ? "elf64lriscv" : "aarch64linux",
      "--threads=1",  "-mllvm",  "-disable-lsr", program.c_str(),
      kernel.c_str(), "-o",      out.c_str()};
  ASSERT_EQ(lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}}).retCode, 0) << messages;
}

}  // namespace

std::string EmulatorFor(const Target& target) {
  const bool aarch64 = target.triple.starts_with("aarch64");
  if (!aarch64 && !IsRiscv(target)) return "";
  const std::string program = aarch64 ? "qemu-aarch64-static" : "qemu-riscv64-static";
  if (std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) != 0) return "";
  if (aarch64) return program;
  const MachineModel machine = MachineModelFor(target);
  return machine.name == "rvv" ? fmt::format("{} -cpu rv64,v=true,vlen={}", program, machine.vector_lanes * 32)
                               : program + " -cpu rv64";
}

Tensor RunEmulated(const CompiledKernel& kernel, const Target& target, const std::vector<Tensor>& inputs) {
  std::string folder = ::testing::TempDir() + "/hone-emulated-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  WriteBytes(folder + "/p.o", ProgramEmitter(target, MachineModelFor(target)).Emit(kernel));
  WriteBytes(folder + "/k.o", kernel.object);
  LinkProgram(folder, target);
  std::string fed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor packed = Pack(inputs[i], kernel.operands[i].layout);
    fed.append(static_cast<const char*>(packed.raw()), static_cast<size_t>(packed.size_bytes()));
  }
  WriteBytes(folder + "/in", fed);
  const std::string command =
      fmt::format("chmod +x {0}/program && {1} {0}/program < {0}/in > {0}/out", folder, EmulatorFor(target));
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::stringstream bytes;
  bytes << std::ifstream(folder + "/out", std::ios::binary).rdbuf();
  const KernelOperand& operand = kernel.operands.back();
  Tensor physical(DType::kFloat32, operand.layout.PhysicalShape(operand.shape));
  EXPECT_EQ(bytes.str().size(), static_cast<size_t>(physical.size_bytes()));
  if (bytes.str().size() == static_cast<size_t>(physical.size_bytes())) {
    std::memcpy(physical.raw(), bytes.str().data(), bytes.str().size());
  }
  EXPECT_EQ(std::system(fmt::format("rm -rf {}", folder).c_str()), 0);
  return Unpack(physical, operand.layout, operand.shape);
}

}  // namespace hone::testing
