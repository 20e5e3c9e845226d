// The least of many numbers, and numbers in order, by counting their digits: time grows with how many there are,
// however they are mixed.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Emits code for unsigned numbers of `bits` bits in the integer type of that width. Memory for one count of digits, of
// CountBytes(), is the caller's.
class RadixSort {
 public:
  RadixSort(KernelBuilder& b, int bits, Value* counts) : b_(b), bits_(bits), counts_(counts) {}

  // Of `count` numbers, `k` of which are wanted (1 <= k <= count): the k-th least, and how many of the wanted ones are
  // equal to it (i64).
  struct Kth {
    Value *number, *equal;
  };
  Kth KthLeast(Value* numbers, int64_t count, int64_t k);

  // Keys are a number above as many bits of anything else. `count` keys (1 at least) at `keys` come in order of their
  // numbers, equal ones as they were. Returns where they lie: at `keys` or at `other`, which is as large. A digit that
  // all numbers share costs nothing but its count.
  Value* Sort(Value* keys, Value* other, int64_t key_bits, Value* count);

  // Runs body for each of `count` numbers that matches, in order; `matches` is also asked of vectors of numbers.
  void ForMatching(Value* numbers, int64_t count, const std::function<Value*(Value* number)>& matches,
                   const std::function<void(Value* i, Value* number)>& body);

  static int64_t CountBytes();

 private:
  Value* Count(Value* digit);
  void Clear(int64_t digits);
  void CountAll(Value* keys, int64_t key_bits, Value* count);
  void ToPlaces(Value* keys, Value* other, int64_t key_bits, Value* count, int shift);
  Value* KeyAt(Value* keys, int64_t key_bits, Value* i);
  // The key's digit at `shift`, as the number of its count: each shift has counts of its own.
  Value* Digit(Value* key, int shift);

  KernelBuilder& b_;
  int bits_;
  Value* counts_;
};

}  // namespace hone
