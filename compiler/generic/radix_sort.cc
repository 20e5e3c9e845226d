#include "compiler/generic/radix_sort.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/generic/loop_while.h"

namespace hone {
namespace {

constexpr int kSelectedBits = 11;  // of a digit that is looked for
constexpr int kSortedBits = 8;     // of one that is sorted by
constexpr int64_t kCount = 4;      // bytes

}  // namespace

int64_t RadixSort::CountBytes() { return (int64_t{1} << kSelectedBits) * kCount; }

Value* RadixSort::Count(Value* digit) { return b_.At(counts_, b_.Mul(digit, kCount)); }

void RadixSort::Clear(int64_t digits) {
  llvm::Type* vector = VectorOf(b_.i32(), b_.lanes());
  b_.For(0, digits, b_.lanes(), [&](Value* i) { b_.Store(llvm::Constant::getNullValue(vector), Count(i)); });
}

// From the highest digit on: among the numbers that share the digits found so far, the next one is where the counts of
// lower digits come to k.
RadixSort::Kth RadixSort::KthLeast(Value* numbers, int64_t count, int64_t k) {
  auto& ir = b_.ir();
  llvm::Type* type = ir.getIntNTy(static_cast<unsigned>(bits_));
  const auto constant = [&](int64_t n) { return llvm::ConstantInt::get(type, static_cast<uint64_t>(n)); };
  Value *known = constant(0), *wanted = b_.Index(k);
  for (int shift = bits_; shift > 0;) {
    const int width = std::min(kSelectedBits, shift), above = shift;
    shift -= width;
    Clear(int64_t{1} << width);
    b_.For(0, count, 1, [&](Value* i) {
      Value* number = b_.LoadAs(type, b_.At(numbers, b_.Mul(i, bits_ / 8)));
      const auto add = [&] {
        Value* digit = ir.CreateAnd(ir.CreateLShr(number, constant(shift)), constant((int64_t{1} << width) - 1));
        Value* place = Count(ir.CreateZExt(digit, b_.i64()));
        b_.Store(ir.CreateAdd(b_.LoadAs(b_.i32(), place), ir.getInt32(1)), place);
      };
      if (above == bits_) return add();
      b_.If(ir.CreateICmpEQ(ir.CreateLShr(number, constant(above)), known), add);
    });
    const auto held = [&](Value* digit) { return ir.CreateZExt(b_.LoadAs(b_.i32(), Count(digit)), b_.i64()); };
    const Vals found = LoopWhile(
        b_, {b_.Index(0), wanted}, [&](const Vals& at) { return ir.CreateICmpULT(held(at[0]), at[1]); },
        [&](const Vals& at) { return Vals{b_.Add(at[0], 1), b_.Sub(at[1], held(at[0]))}; });
    known = ir.CreateOr(above == bits_ ? constant(0) : ir.CreateShl(known, constant(width)),
                        ir.CreateTrunc(found[0], type));
    wanted = found[1];
  }
  return {known, wanted};
}

// From the lowest digit on, each time to the places that the counts of lower digits leave.
Value* RadixSort::Sort(Value* keys, Value* other, int64_t key_bits, int64_t count) {
  auto& ir = b_.ir();
  llvm::Type* type = ir.getIntNTy(static_cast<unsigned>(key_bits));
  const auto load = [&](Value* i) { return b_.LoadAs(type, b_.At(keys, b_.Mul(i, key_bits / 8))); };
  for (int shift = 0; shift < bits_; shift += kSortedBits) {
    const auto digit = [&](Value* key) {
      Value* low = ir.CreateLShr(key, llvm::ConstantInt::get(type, static_cast<uint64_t>(key_bits - bits_ + shift)));
      return ir.CreateAnd(ir.CreateTrunc(low, b_.i64()), b_.Index((int64_t{1} << kSortedBits) - 1));
    };
    Clear(int64_t{1} << kSortedBits);
    b_.For(0, count, 1, [&](Value* i) {
      Value* place = Count(digit(load(i)));
      b_.Store(ir.CreateAdd(b_.LoadAs(b_.i32(), place), ir.getInt32(1)), place);
    });
    b_.Loop(0, int64_t{1} << kSortedBits, 1, {ir.getInt32(0)}, [&](Value* i, const Vals& before) {
      Value* here = b_.LoadAs(b_.i32(), Count(i));
      b_.Store(before[0], Count(i));
      return Vals{ir.CreateAdd(before[0], here)};
    });
    b_.For(0, count, 1, [&](Value* i) {
      Value* key = load(i);
      Value* place = Count(digit(key));
      Value* to = b_.LoadAs(b_.i32(), place);
      b_.Store(ir.CreateAdd(to, ir.getInt32(1)), place);
      b_.Store(key, b_.At(other, b_.Mul(ir.CreateZExt(to, b_.i64()), key_bits / 8)));
    });
    std::swap(keys, other);
  }
  return keys;
}

}  // namespace hone
