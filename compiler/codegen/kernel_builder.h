// The loop-nest language: C++ lambdas over LLVM's IRBuilder. Schedules and the generic generator write kernels with it.
// Constants at emission time act as a partial evaluator: a tap that cannot exist is not emitted. Only compiler/codegen,
// compiler/schedules and compiler/generic include LLVM.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/machine/target.h"

namespace hone {

using Value = llvm::Value;
using Vals = std::vector<llvm::Value*>;

// The range of work items and the ABI's arguments. Made at the start of a stage.
struct StageArgs {
  Value* begin = nullptr;  // i64
  Value* end = nullptr;    // i64
  Value* args = nullptr;   // hone_kernel_args*
};

// Builds one LLVM module. Values are SSA: a loop passes the values that it changes as `carried`. Floats are float32 and
// indices i64 unless said otherwise. Not thread-safe; one context per builder.
class KernelBuilder {
 public:
  KernelBuilder(const Target& target, const MachineModel& machine);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  llvm::IRBuilder<>& ir() { return *ir_; }
  llvm::Module& module() { return *module_; }
  llvm::LLVMContext& context() { return *context_; }
  const MachineModel& machine() const { return machine_; }
  int lanes() const { return machine_.vector_lanes; }

  // Defines `int32_t symbol(const hone_kernel_args*, int64_t begin, int64_t end)`; the body's result is 0.
  void Stage(const std::string& symbol, const std::function<void(const StageArgs&)>& body);
  // operands[i], batch_strides[i] (bytes), the workspaces.
  Value* Operand(const StageArgs& args, int i);
  Value* BatchStride(const StageArgs& args, int i);
  Value* SharedWorkspace(const StageArgs& args);
  Value* WorkerWorkspace(const StageArgs& args);

  // Constants.
  Value* Index(int64_t v);
  Value* Float(float v);                   // scalar
  Value* Splat(Value* scalar, int lanes);  // the scalar itself when lanes == 1
  Value* FloatVec(float v, int lanes);

  // Index arithmetic; folds constants. Div and Mod take a non-negative number and a positive constant.
  Value* Add(Value* a, Value* b);
  Value* Add(Value* a, int64_t b);
  Value* Sub(Value* a, Value* b);
  Value* Mul(Value* a, Value* b);
  Value* Mul(Value* a, int64_t b);
  Value* Div(Value* a, int64_t b);
  Value* Mod(Value* a, int64_t b);
  Value* Min(Value* a, Value* b);
  Value* Max(Value* a, Value* b);

  // for (i = lo; i < hi; i += step). The body gets i and the carried values and returns the next ones. Runs zero times
  // if lo >= hi. Constant bounds with one iteration fold to the body.
  Vals Loop(Value* lo, Value* hi, int64_t step, const Vals& carried,
            const std::function<Vals(Value* i, const Vals&)>& body);
  Vals Loop(int64_t lo, int64_t hi, int64_t step, const Vals& carried,
            const std::function<Vals(Value* i, const Vals&)>& body);
  // Loop without carried values.
  void For(Value* lo, Value* hi, int64_t step, const std::function<void(Value* i)>& body);
  void For(int64_t lo, int64_t hi, int64_t step, const std::function<void(Value* i)>& body);
  // if (cond) then(), else otherwise(); neither side returns values.
  void If(Value* cond, const std::function<void()>& then, const std::function<void()>& otherwise = nullptr);

  // Memory, addressed in bytes. With `lanes` 1 the value is a scalar. Vector accesses need only element alignment.
  Value* At(Value* ptr, Value* byte_offset);
  Value* At(Value* ptr, int64_t byte_offset);
  Value* Load(Value* ptr, int lanes = 1);
  void Store(Value* value, Value* ptr);
  Value* LoadAs(llvm::Type* type, Value* ptr);  // other element types: i64, double, i8
  void Prefetch(Value* ptr);                    // into the second-level cache; any address, also outside a buffer

  // Float arithmetic on scalars or vectors of equal width; the result has the operands' lanes.
  Value* FMul(Value* a, Value* b);
  Value* FAdd(Value* a, Value* b);
  Value* FSub(Value* a, Value* b);
  Value* FDiv(Value* a, Value* b);
  Value* Fma(Value* a, Value* b, Value* c);  // a * b + c, fused where the target can
  // NaN passes through, as ONNX says: the result is NaN if `a` is.
  Value* FMax(Value* a, Value* b);
  Value* FMin(Value* a, Value* b);

  llvm::Type* f32();
  llvm::Type* f64();
  llvm::Type* i64();
  llvm::Type* i32();
  llvm::Type* VecType(int lanes);  // float32

 private:
  MachineModel machine_;
  std::string cpu_, features_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::IRBuilder<>> ir_;
};

}  // namespace hone
