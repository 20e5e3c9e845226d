#include "compiler/ops/topk/kernel_radix_sort.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/generic/fold.h"

namespace hone {
namespace {

constexpr int kSelectedBits = 11;  // of a digit in a selection
constexpr int kSortedBits = 8;     // of a digit in a sort
constexpr int64_t kCount = 4;      // bytes

}  // namespace

int64_t RadixSort::CountBytes() { return (int64_t{1} << kSelectedBits) * kCount; }

Value* RadixSort::Count(Value* digit) { return b_.At(counts_, b_.Mul(digit, kCount)); }

void RadixSort::Clear(int64_t digits) {
  llvm::Type* vector = VectorOf(b_.i32(), b_.lanes());
  b_.For(0, digits, b_.lanes(), [&](Value* i) { b_.Store(llvm::Constant::getNullValue(vector), Count(i)); });
}

// Skips vectors in which no number matches.
void RadixSort::ForMatching(Value* numbers, int64_t count, const std::function<Value*(Value* number)>& matches,
                            const std::function<void(Value* i, Value* number)>& body) {
  auto& ir = b_.ir();
  llvm::Type* type = ir.getIntNTy(static_cast<unsigned>(bits_));
  const auto at = [&](Value* i) { return b_.At(numbers, b_.Mul(i, bits_ / 8)); };
  const auto each = [&](Value* first, Value* last) {
    b_.For(first, last, 1, [&](Value* i) {
      Value* number = b_.LoadAs(type, at(i));
      b_.If(matches(number), [&] { body(i, number); });
    });
  };
  const int lanes = std::max(1, b_.lanes() * 32 / bits_);
  const int64_t whole = count / lanes * lanes;
  b_.For(0, whole, lanes, [&](Value* first) {
    Value* any = matches(b_.LoadAs(VectorOf(type, lanes), at(first)));
    if (any->getType()->isVectorTy()) any = ir.CreateOrReduce(any);
    b_.If(any, [&] { each(first, b_.Add(first, lanes)); });
  });
  each(b_.Index(whole), b_.Index(count));
}

// Goes from the highest digit to the lowest. Among the numbers that share the digits found so far, the next digit is
// where the counts of lower digits reach k.
//
//    numbers 31 12 47 15 13, k = 3
//    upper digits    1: 3 times, 3: once, 4: once     the third least number begins with 1
//    lower digits    2: once, 3: once, 5: once        among 12 15 13 the third one is 15
RadixSort::Kth RadixSort::KthLeast(Value* numbers, int64_t count, int64_t k) {
  auto& ir = b_.ir();
  llvm::Type* type = ir.getIntNTy(static_cast<unsigned>(bits_));
  const auto constant = [&](int64_t n) { return llvm::ConstantInt::get(type, static_cast<uint64_t>(n)); };
  Value *known = constant(0), *wanted = b_.Index(k);
  for (int shift = bits_; shift > 0;) {
    const int width = std::min(kSelectedBits, shift), above = shift;
    shift -= width;
    Clear(int64_t{1} << width);
    const auto matches = [&](Value* number) -> Value* {
      if (above == bits_) return ir.getTrue();
      const int lanes = LaneCount(number);
      return ir.CreateICmpEQ(ir.CreateLShr(number, b_.Splat(constant(above), lanes)), b_.Splat(known, lanes));
    };
    ForMatching(numbers, count, matches, [&](Value*, Value* number) {
      Value* digit = ir.CreateAnd(ir.CreateLShr(number, constant(shift)), constant((int64_t{1} << width) - 1));
      Value* place = Count(ir.CreateZExt(digit, b_.i64()));
      b_.Store(ir.CreateAdd(b_.LoadAs(b_.i32(), place), ir.getInt32(1)), place);
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

Value* RadixSort::KeyAt(Value* keys, int64_t key_bits, Value* i) {
  return b_.LoadAs(b_.ir().getIntNTy(static_cast<unsigned>(key_bits)), b_.At(keys, b_.Mul(i, key_bits / 8)));
}

Value* RadixSort::Digit(Value* key, int shift) {
  auto& ir = b_.ir();
  const auto key_bits = static_cast<int>(key->getType()->getIntegerBitWidth());
  Value* low =
      ir.CreateLShr(key, llvm::ConstantInt::get(key->getType(), static_cast<uint64_t>(key_bits - bits_ + shift)));
  Value* digit = ir.CreateAnd(ir.CreateTrunc(low, b_.i64()), b_.Index((int64_t{1} << kSortedBits) - 1));
  return b_.Add(digit, int64_t{shift} / kSortedBits << kSortedBits);
}

void RadixSort::CountAll(Value* keys, int64_t key_bits, Value* count) {
  auto& ir = b_.ir();
  Clear(int64_t{bits_} / kSortedBits << kSortedBits);
  b_.For(b_.Index(0), count, 1, [&](Value* i) {
    Value* key = KeyAt(keys, key_bits, i);
    for (int shift = 0; shift < bits_; shift += kSortedBits) {
      Value* place = Count(Digit(key, shift));
      b_.Store(ir.CreateAdd(b_.LoadAs(b_.i32(), place), ir.getInt32(1)), place);
    }
  });
}

// Moves each key to the position that the counts of lower digits give.
void RadixSort::ToPlaces(Value* keys, Value* other, int64_t key_bits, Value* count, int shift) {
  auto& ir = b_.ir();
  const int64_t first = int64_t{shift} / kSortedBits << kSortedBits;
  b_.Loop(first, first + (int64_t{1} << kSortedBits), 1, {ir.getInt32(0)}, [&](Value* i, const Vals& before) {
    Value* here = b_.LoadAs(b_.i32(), Count(i));
    b_.Store(before[0], Count(i));
    return Vals{ir.CreateAdd(before[0], here)};
  });
  b_.For(b_.Index(0), count, 1, [&](Value* i) {
    Value* key = KeyAt(keys, key_bits, i);
    Value* place = Count(Digit(key, shift));
    Value* to = b_.LoadAs(b_.i32(), place);
    b_.Store(ir.CreateAdd(to, ir.getInt32(1)), place);
    b_.Store(key, b_.At(other, b_.Mul(ir.CreateZExt(to, b_.i64()), key_bits / 8)));
  });
}

// Goes from the lowest digit to the highest.
Value* RadixSort::Sort(Value* keys, Value* other, int64_t key_bits, Value* count) {
  auto& ir = b_.ir();
  CountAll(keys, key_bits, count);
  for (int shift = 0; shift < bits_; shift += kSortedBits) {
    Value* like_first = b_.LoadAs(b_.i32(), Count(Digit(KeyAt(keys, key_bits, b_.Index(0)), shift)));
    Value* differs = ir.CreateICmpNE(ir.CreateZExt(like_first, b_.i64()), count);
    b_.If(differs, [&] { ToPlaces(keys, other, key_bits, count, shift); });
    Value* sorted = ir.CreateSelect(differs, other, keys);
    other = ir.CreateSelect(differs, keys, other);
    keys = sorted;
  }
  return keys;
}

}  // namespace hone
