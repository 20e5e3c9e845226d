#include "compiler/codegen/arm_helpers.h"

#include <map>
#include <mutex>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"

namespace hone {
namespace {

class Helpers {
 public:
  explicit Helpers(const Target& target) : b_(target, MachineModelFor(target)), target_(target) {}

  std::string Emit() {
    DefineDivisions();
    DefineFromIntegers();
    DefineToIntegers();
    return EmitObject(b_, target_);
  }

 private:
  using Body = std::function<Value*(llvm::Function&)>;

  void Define(const char* name, llvm::Type* result, const std::vector<llvm::Type*>& parameters, const Body& body) {
    auto* type = llvm::FunctionType::get(result, parameters, false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, &b_.module());
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    // Floats are passed and returned in general registers, whatever the system's own convention is.
    function->setCallingConv(llvm::CallingConv::ARM_AAPCS);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr("no-builtins");
    ir_.SetInsertPoint(llvm::BasicBlock::Create(b_.context(), "entry", function));
    ir_.CreateRet(body(*function));
  }

  // Quotient and remainder of unsigned integers, bit by bit.
  std::pair<Value*, Value*> Divide(Value* number, Value* by) {
    const Vals done = b_.Loop(0, 64, 1, {number, b_.Index(0), b_.Index(0)}, [&](Value*, const Vals& carried) {
      Value* lost = ir_.CreateICmpSLT(carried[2], b_.Index(0));
      Value* rest = ir_.CreateOr(ir_.CreateShl(carried[2], 1), ir_.CreateLShr(carried[0], 63));
      Value* fits = ir_.CreateOr(lost, ir_.CreateICmpUGE(rest, by));
      return Vals{ir_.CreateShl(carried[0], 1),
                  ir_.CreateOr(ir_.CreateShl(carried[1], 1), ir_.CreateZExt(fits, b_.i64())),
                  ir_.CreateSelect(fits, ir_.CreateSub(rest, by), rest)};
    });
    return {done[1], done[2]};
  }
  std::pair<Value*, Value*> DivideSigned(Value* number, Value* by) {
    const auto [quotient, rest] = Divide(Magnitude(number), Magnitude(by));
    Value* apart = ir_.CreateICmpSLT(ir_.CreateXor(number, by), b_.Index(0));
    return {NegatedIf(apart, quotient), NegatedIf(IsNegative(number), rest)};
  }

  Value* IsNegative(Value* x) { return ir_.CreateICmpSLT(x, b_.Index(0)); }
  Value* NegatedIf(Value* condition, Value* x) { return ir_.CreateSelect(condition, ir_.CreateNeg(x), x); }
  Value* Magnitude(Value* x) { return NegatedIf(IsNegative(x), x); }
  Value* Pair(const std::pair<Value*, Value*>& values, llvm::StructType* type) {
    auto* part = type->getElementType(0);
    Value* pair = ir_.CreateInsertValue(llvm::PoisonValue::get(type), ir_.CreateTrunc(values.first, part), 0);
    return ir_.CreateInsertValue(pair, ir_.CreateTrunc(values.second, part), 1);
  }

  void DefineDivisions() {
    auto* longs = llvm::StructType::get(b_.i64(), b_.i64());
    auto* words = llvm::StructType::get(b_.i32(), b_.i32());
    const auto wide = [&](Value* x) { return ir_.CreateSExt(x, b_.i64()); };
    const auto wide_unsigned = [&](Value* x) { return ir_.CreateZExt(x, b_.i64()); };
    Define("__aeabi_uldivmod", longs, {b_.i64(), b_.i64()},
           [&](auto& f) { return Pair(Divide(f.getArg(0), f.getArg(1)), longs); });
    Define("__aeabi_ldivmod", longs, {b_.i64(), b_.i64()},
           [&](auto& f) { return Pair(DivideSigned(f.getArg(0), f.getArg(1)), longs); });
    for (const char* name : {"__aeabi_uidivmod", "__aeabi_uidiv"}) {
      Define(name, words, {b_.i32(), b_.i32()},
             [&](auto& f) { return Pair(Divide(wide_unsigned(f.getArg(0)), wide_unsigned(f.getArg(1))), words); });
    }
    // A function that returns only a quotient returns the pair's first register.
    for (const char* name : {"__aeabi_idivmod", "__aeabi_idiv"}) {
      Define(name, words, {b_.i32(), b_.i32()},
             [&](auto& f) { return Pair(DivideSigned(wide(f.getArg(0)), wide(f.getArg(1))), words); });
    }
  }

  llvm::Constant* Double(double x) { return llvm::ConstantFP::get(b_.f64(), x); }

  // Both halves are exact as doubles, so their sum is rounded once.
  Value* DoubleOf(Value* x, bool is_signed) {
    Value* high = ir_.CreateTrunc(ir_.CreateLShr(x, 32), b_.i32());
    Value* low = ir_.CreateUIToFP(ir_.CreateTrunc(x, b_.i32()), b_.f64());
    Value* upper = is_signed ? ir_.CreateSIToFP(high, b_.f64()) : ir_.CreateUIToFP(high, b_.f64());
    return ir_.CreateFAdd(ir_.CreateFMul(upper, Double(0x1p32)), low);
  }
  // A double is exact for 53 bits. In a longer integer, one sticky bit stands for the last 11 bits.
  Value* FloatOf(Value* x, bool is_signed) {
    constexpr int64_t kTail = (1 << 11) - 1;
    Value* short_enough = ir_.CreateICmpULT(is_signed ? Magnitude(x) : x, b_.Index(int64_t{1} << 53));
    Value* tail = ir_.CreateICmpNE(ir_.CreateAnd(x, b_.Index(kTail)), b_.Index(0));
    Value* told =
        ir_.CreateOr(ir_.CreateAnd(x, b_.Index(~kTail)), ir_.CreateShl(ir_.CreateZExt(tail, b_.i64()), b_.Index(11)));
    return ir_.CreateFPTrunc(DoubleOf(ir_.CreateSelect(short_enough, x, told), is_signed), b_.f32());
  }

  void DefineFromIntegers() {
    Define("__aeabi_l2d", b_.f64(), {b_.i64()}, [&](auto& f) { return DoubleOf(f.getArg(0), true); });
    Define("__aeabi_ul2d", b_.f64(), {b_.i64()}, [&](auto& f) { return DoubleOf(f.getArg(0), false); });
    Define("__aeabi_l2f", b_.f32(), {b_.i64()}, [&](auto& f) { return FloatOf(f.getArg(0), true); });
    Define("__aeabi_ul2f", b_.f32(), {b_.i64()}, [&](auto& f) { return FloatOf(f.getArg(0), false); });
  }

  // Conversions to 32 bits round towards zero and saturate, as the instruction does.
  Value* Unsigned(Value* x) {
    Value* high = ir_.CreateFPToUI(ir_.CreateFMul(x, Double(0x1p-32)), b_.i32());
    Value* upper = ir_.CreateFMul(ir_.CreateUIToFP(high, b_.f64()), Double(0x1p32));
    Value* low = ir_.CreateFPToUI(ir_.CreateFSub(x, upper), b_.i32());
    return ir_.CreateOr(ir_.CreateShl(ir_.CreateZExt(high, b_.i64()), 32), ir_.CreateZExt(low, b_.i64()));
  }
  Value* Signed(Value* x) {
    Value* negative = ir_.CreateFCmpOLT(x, Double(0));
    return NegatedIf(negative, Unsigned(ir_.CreateSelect(negative, ir_.CreateFNeg(x), x)));
  }

  void DefineToIntegers() {
    const auto wide = [&](Value* x) { return ir_.CreateFPExt(x, b_.f64()); };
    Define("__aeabi_d2lz", b_.i64(), {b_.f64()}, [&](auto& f) { return Signed(f.getArg(0)); });
    Define("__aeabi_d2ulz", b_.i64(), {b_.f64()}, [&](auto& f) { return Unsigned(f.getArg(0)); });
    Define("__aeabi_f2lz", b_.i64(), {b_.f32()}, [&](auto& f) { return Signed(wide(f.getArg(0))); });
    Define("__aeabi_f2ulz", b_.i64(), {b_.f32()}, [&](auto& f) { return Unsigned(wide(f.getArg(0))); });
  }

  KernelBuilder b_;
  llvm::IRBuilder<>& ir_ = b_.ir();
  const Target& target_;
};

}  // namespace

const std::string& ArmHelpers(const Target& target) {
  static std::mutex mutex;
  static std::map<std::string, std::string> made;
  const std::lock_guard<std::mutex> hold(mutex);
  std::string& object = made[target.ToText()];
  if (object.empty()) object = Helpers(target).Emit();
  return object;
}

}  // namespace hone
