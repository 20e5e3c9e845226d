// Selects the least of many numbers, and sorts numbers, by counting their digits. The time grows with their number and
// does not depend on their order.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Emits code for unsigned numbers of `bits` bits in the integer type of that width. The caller provides memory for one
// count of digits, of CountBytes().
class RadixSort {
 public:
  RadixSort(KernelBuilder& b, int bits, Value* counts) : b_(b), bits_(bits), counts_(counts) {}

  // Selects the `k` least of `count` numbers, 1 <= k <= count. `number` is the k-th least; `equal` (i64) is how many of
  // the selected ones are equal to it.
  struct Kth {
    Value *number, *equal;
  };
  Kth KthLeast(Value* numbers, int64_t count, int64_t k);

  // A key is a number in its upper bits, above as many bits of anything else. Sorts `count` keys (at least 1) at `keys`
  // by their numbers; equal ones keep their order. Returns their address: `keys` or `other`, which has the same size. A
  // digit that all numbers share costs only its count.
  Value* Sort(Value* keys, Value* other, int64_t key_bits, Value* count);

  // Runs body for each of `count` numbers that matches, in order; `matches` is also applied to vectors of numbers.
  void ForMatching(Value* numbers, int64_t count, const std::function<Value*(Value* number)>& matches,
                   const std::function<void(Value* i, Value* number)>& body);

  static int64_t CountBytes();

 private:
  Value* Count(Value* digit);
  void Clear(int64_t digits);
  void CountAll(Value* keys, int64_t key_bits, Value* count);
  void ToPlaces(Value* keys, Value* other, int64_t key_bits, Value* count, int shift);
  Value* KeyAt(Value* keys, int64_t key_bits, Value* i);
  // The key's digit at `shift`, as the index of its count; each shift has its own counts.
  Value* Digit(Value* key, int shift);

  KernelBuilder& b_;
  int bits_;
  Value* counts_;
};

}  // namespace hone
