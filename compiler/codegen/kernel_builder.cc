#include "compiler/codegen/kernel_builder.h"

#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <cstddef>

#include "compiler/codegen/target/target_machine.h"
#include "core/package/kernel_abi.h"

namespace hone {
namespace {

llvm::FastMathFlags ContractFlags() {
  llvm::FastMathFlags flags;
  flags.setAllowContract(true);
  flags.setNoSignedZeros(true);
  return flags;
}

std::optional<int64_t> AsConstant(Value* v) {
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(v)) return c->getSExtValue();
  return std::nullopt;
}

// The offset of pointer `i` in a table, or in hone_kernel_args, whose first four fields are pointers. Pointers have the
// target's own size.
int64_t PointerAt(const llvm::Module& module, int i) { return int64_t{module.getDataLayout().getPointerSize()} * i; }

// With 32-bit addresses no index has more than 32 bits, and a 64-bit division would be a function call.
Value* Divided(llvm::IRBuilder<>& ir, llvm::Instruction::BinaryOps op, Value* a, int64_t b) {
  const bool narrow = ir.GetInsertBlock()->getModule()->getDataLayout().getPointerSize() == 4;
  auto* type = narrow ? ir.getInt32Ty() : ir.getInt64Ty();
  Value* by = llvm::ConstantInt::get(type, static_cast<uint64_t>(b));
  return ir.CreateZExt(ir.CreateBinOp(op, ir.CreateTrunc(a, type), by), ir.getInt64Ty());
}

static_assert(offsetof(hone_kernel_args, operands) == 0 && offsetof(hone_kernel_args, batch_strides) == sizeof(void*) &&
              offsetof(hone_kernel_args, shared_workspace) == 2 * sizeof(void*) &&
              offsetof(hone_kernel_args, worker_workspace) == 3 * sizeof(void*));

}  // namespace

KernelBuilder::KernelBuilder(const Target& target, const MachineModel& machine)
    : machine_(machine),
      cpu_(target.cpu),
      features_(FeatureString(target)),
      context_(std::make_unique<llvm::LLVMContext>()),
      module_(std::make_unique<llvm::Module>("kernel", *context_)),
      ir_(std::make_unique<llvm::IRBuilder<>>(*context_)) {
  // Layout and triple must be set before any IR is built: constant folding of addresses uses them.
  module_->setTargetTriple(target.triple);
  module_->setDataLayout(MakeTargetMachine(target)->createDataLayout());
  ir_->setFastMathFlags(ContractFlags());
}

KernelBuilder::~KernelBuilder() = default;

void KernelBuilder::Stage(const std::string& symbol, const std::function<void(const StageArgs&)>& body) {
  auto* ptr = ir_->getPtrTy();
  auto* type = llvm::FunctionType::get(i32(), {ptr, i64(), i64()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module_.get());
  function->addFnAttr("target-cpu", cpu_);
  if (!features_.empty()) function->addFnAttr("target-features", features_);
  // A loop that copies must stay a loop, because an artifact has no memcpy to call.
  function->addFnAttr("no-builtins");
  function->addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (machine_.width_on_request) {
    const std::string bits = std::to_string(machine_.vector_lanes * 32);
    function->addFnAttr("prefer-vector-width", bits);
    function->addFnAttr("min-legal-vector-width", bits);
  }
  ir_->SetInsertPoint(llvm::BasicBlock::Create(*context_, "entry", function));
  StageArgs args{function->getArg(1), function->getArg(2), function->getArg(0)};
  body(args);
  ir_->CreateRet(ir_->getInt32(0));
}

Value* KernelBuilder::Operand(const StageArgs& args, int i) {
  auto* ptr = ir_->getPtrTy();
  Value* table = ir_->CreateLoad(ptr, At(args.args, PointerAt(*module_, 0)));
  return ir_->CreateLoad(ptr, At(table, PointerAt(*module_, i)));
}

Value* KernelBuilder::BatchStride(const StageArgs& args, int i) {
  Value* table = ir_->CreateLoad(ir_->getPtrTy(), At(args.args, PointerAt(*module_, 1)));
  return ir_->CreateLoad(i64(), At(table, int64_t{8} * i));
}

Value* KernelBuilder::SharedWorkspace(const StageArgs& args) {
  return ir_->CreateLoad(ir_->getPtrTy(), At(args.args, PointerAt(*module_, 2)));
}

Value* KernelBuilder::WorkerWorkspace(const StageArgs& args) {
  return ir_->CreateLoad(ir_->getPtrTy(), At(args.args, PointerAt(*module_, 3)));
}

Value* KernelBuilder::Index(int64_t v) { return ir_->getInt64(static_cast<uint64_t>(v)); }
Value* KernelBuilder::Float(float v) { return llvm::ConstantFP::get(f32(), v); }

Value* KernelBuilder::Splat(Value* scalar, int lanes) {
  return lanes == 1 ? scalar : ir_->CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}

Value* KernelBuilder::FloatVec(float v, int lanes) { return llvm::ConstantFP::get(VecType(lanes), v); }

Value* KernelBuilder::Add(Value* a, Value* b) {
  if (AsConstant(a) == 0) return b;
  if (AsConstant(b) == 0) return a;
  return ir_->CreateNSWAdd(a, b);
}
Value* KernelBuilder::Add(Value* a, int64_t b) { return b == 0 ? a : ir_->CreateNSWAdd(a, Index(b)); }
Value* KernelBuilder::Sub(Value* a, Value* b) { return AsConstant(b) == 0 ? a : ir_->CreateNSWSub(a, b); }

Value* KernelBuilder::Mul(Value* a, Value* b) {
  if (auto c = AsConstant(b)) return Mul(a, *c);
  if (auto c = AsConstant(a)) return Mul(b, *c);
  return ir_->CreateNSWMul(a, b);
}
Value* KernelBuilder::Mul(Value* a, int64_t b) {
  if (b == 0) return Index(0);
  return b == 1 ? a : ir_->CreateNSWMul(a, Index(b));
}
Value* KernelBuilder::Div(Value* a, int64_t b) { return b == 1 ? a : Divided(*ir_, llvm::Instruction::UDiv, a, b); }
Value* KernelBuilder::Mod(Value* a, int64_t b) {
  return b == 1 ? Index(0) : Divided(*ir_, llvm::Instruction::URem, a, b);
}

Value* KernelBuilder::Min(Value* a, Value* b) { return ir_->CreateSelect(ir_->CreateICmpSLT(a, b), a, b); }
Value* KernelBuilder::Max(Value* a, Value* b) { return ir_->CreateSelect(ir_->CreateICmpSGT(a, b), a, b); }

// The blocks of a loop without constant bounds. phi(a, b) is a on entry and b after an iteration. With constant bounds
// the first test and the phis of "done" are left out.
//
//   before:  branch lo < hi, loop, done
//   loop:    i = phi(lo, i_next); carried = phi(carried, next)
//            next = body(i, carried); i_next = i + step
//            branch i_next < hi, loop, done
//   done:    result = phi(carried, next)
Vals KernelBuilder::Loop(Value* lo, Value* hi, int64_t step, const Vals& carried,
                         const std::function<Vals(Value* i, const Vals&)>& body) {
  const auto first = AsConstant(lo), last = AsConstant(hi);
  if (first && last && *first >= *last) return carried;
  if (first && last && *first + step >= *last) return body(lo, carried);

  auto* function = ir_->GetInsertBlock()->getParent();
  auto* before = ir_->GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(*context_, "loop", function);
  auto* exit = llvm::BasicBlock::Create(*context_, "done", function);
  if (first && last) {
    ir_->CreateBr(head);
  } else {
    ir_->CreateCondBr(ir_->CreateICmpSLT(lo, hi), head, exit);
  }
  ir_->SetInsertPoint(head);
  auto* i = ir_->CreatePHI(i64(), 2);
  i->addIncoming(lo, before);
  std::vector<llvm::PHINode*> phis;
  Vals inside;
  for (Value* v : carried) {
    phis.push_back(ir_->CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, before);
    inside.push_back(phis.back());
  }
  const Vals next = body(i, inside);
  Value* i_next = ir_->CreateNSWAdd(i, Index(step));
  auto* latch = ir_->GetInsertBlock();
  auto* branch = ir_->CreateCondBr(ir_->CreateICmpSLT(i_next, hi), head, exit);
  llvm::Metadata* no_unroll[] = {
      nullptr, llvm::MDNode::get(*context_, llvm::MDString::get(*context_, "llvm.loop.unroll.disable"))};
  auto* loop_id = llvm::MDNode::getDistinct(*context_, no_unroll);
  loop_id->replaceOperandWith(0, loop_id);
  branch->setMetadata(llvm::LLVMContext::MD_loop, loop_id);
  i->addIncoming(i_next, latch);
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch);

  ir_->SetInsertPoint(exit);
  if (first && last) return next;
  Vals result;
  for (size_t k = 0; k < carried.size(); ++k) {
    auto* phi = ir_->CreatePHI(carried[k]->getType(), 2);
    phi->addIncoming(carried[k], before);
    phi->addIncoming(next[k], latch);
    result.push_back(phi);
  }
  return result;
}

Vals KernelBuilder::Loop(int64_t lo, int64_t hi, int64_t step, const Vals& carried,
                         const std::function<Vals(Value* i, const Vals&)>& body) {
  return Loop(Index(lo), Index(hi), step, carried, body);
}

void KernelBuilder::For(Value* lo, Value* hi, int64_t step, const std::function<void(Value* i)>& body) {
  Loop(lo, hi, step, {}, [&](Value* i, const Vals&) {
    body(i);
    return Vals{};
  });
}

void KernelBuilder::For(int64_t lo, int64_t hi, int64_t step, const std::function<void(Value* i)>& body) {
  For(Index(lo), Index(hi), step, body);
}

void KernelBuilder::If(Value* cond, const std::function<void()>& then, const std::function<void()>& otherwise) {
  auto* function = ir_->GetInsertBlock()->getParent();
  auto* yes = llvm::BasicBlock::Create(*context_, "then", function);
  auto* no = otherwise ? llvm::BasicBlock::Create(*context_, "else", function) : nullptr;
  auto* exit = llvm::BasicBlock::Create(*context_, "endif", function);
  ir_->CreateCondBr(cond, yes, no ? no : exit);
  ir_->SetInsertPoint(yes);
  then();
  ir_->CreateBr(exit);
  if (no) {
    ir_->SetInsertPoint(no);
    otherwise();
    ir_->CreateBr(exit);
  }
  ir_->SetInsertPoint(exit);
}

Value* KernelBuilder::At(Value* ptr, Value* byte_offset) {
  if (auto c = AsConstant(byte_offset)) return At(ptr, *c);
  return ir_->CreateGEP(ir_->getInt8Ty(), ptr, byte_offset);
}
Value* KernelBuilder::At(Value* ptr, int64_t byte_offset) {
  return byte_offset == 0 ? ptr : ir_->CreateGEP(ir_->getInt8Ty(), ptr, Index(byte_offset));
}
Value* KernelBuilder::Load(Value* ptr, int lanes) {
  return ir_->CreateAlignedLoad(VecType(lanes), ptr, llvm::Align(4));
}
void KernelBuilder::Store(Value* value, Value* ptr) {
  const uint64_t scalar_bytes = value->getType()->getScalarSizeInBits() / 8;
  ir_->CreateAlignedStore(value, ptr, llvm::Align(scalar_bytes == 0 ? 1 : scalar_bytes));
}
Value* KernelBuilder::LoadAs(llvm::Type* type, Value* ptr) {
  const uint64_t scalar_bytes = type->getScalarSizeInBits() / 8;
  return ir_->CreateAlignedLoad(type, ptr, llvm::Align(scalar_bytes == 0 ? 1 : scalar_bytes));
}

void KernelBuilder::Prefetch(Value* ptr) {
  ir_->CreateIntrinsic(llvm::Intrinsic::prefetch, {ir_->getPtrTy()},
                       {ptr, ir_->getInt32(0), ir_->getInt32(2), ir_->getInt32(1)});
}

Value* KernelBuilder::FMul(Value* a, Value* b) { return ir_->CreateFMul(a, b); }
Value* KernelBuilder::FAdd(Value* a, Value* b) { return ir_->CreateFAdd(a, b); }
Value* KernelBuilder::FSub(Value* a, Value* b) { return ir_->CreateFSub(a, b); }
Value* KernelBuilder::FDiv(Value* a, Value* b) { return ir_->CreateFDiv(a, b); }

Value* KernelBuilder::Fma(Value* a, Value* b, Value* c) {
  // For ARM's small cores LLVM splits an operation that may be fused, so they get the one that must be.
  const bool must = machine_.has_fma && llvm::Triple(module_->getTargetTriple()).isARM();
  return ir_->CreateIntrinsic(must ? llvm::Intrinsic::fma : llvm::Intrinsic::fmuladd, {a->getType()}, {a, b, c});
}

// "Greater, or unordered because a is NaN" keeps a, so a NaN in a goes through, whatever b is. On x86 this is one
// instruction, also for zeros: it returns its second operand if the two are equal or one is NaN.
Value* KernelBuilder::FMax(Value* a, Value* b) { return ir_->CreateSelect(ir_->CreateFCmpOGT(b, a), b, a); }
Value* KernelBuilder::FMin(Value* a, Value* b) { return ir_->CreateSelect(ir_->CreateFCmpOLT(b, a), b, a); }

llvm::Type* KernelBuilder::f32() { return ir_->getFloatTy(); }
llvm::Type* KernelBuilder::f64() { return ir_->getDoubleTy(); }
llvm::Type* KernelBuilder::i64() { return ir_->getInt64Ty(); }
llvm::Type* KernelBuilder::i32() { return ir_->getInt32Ty(); }
llvm::Type* KernelBuilder::VecType(int lanes) {
  return lanes == 1 ? f32() : llvm::FixedVectorType::get(f32(), static_cast<unsigned>(lanes));
}

}  // namespace hone
