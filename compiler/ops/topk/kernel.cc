// The best elements along an axis as a kernel of its own: chosen elements decide which are examined next. One item per
// line along the axis.
//
// A line whose elements are not contiguous is copied to be so. Then the kernel uses the one of two ways that is
// expected to take less time:
//
//    few of many    The best elements so far are a heap of keys whose root is the worst of them. A better element
//                   replaces the root. Whole vectors are compared with the root's element, so that most elements cost a
//                   part of a comparison.
//    many           Each element has a rank, a number that is the less the better it is. Counting digits gives the k-th
//                   least rank. Better elements, and as many equal ones as are wanted, are sorted by their digits.
//
// In long lines a sample first gives a bound that slightly more than k elements are likely not to exceed. Those
// elements are sorted. If they are fewer than k, or too many, the digits of all elements are counted.
//
// A key is one integer, so that one comparison suffices and equal elements keep their order:
//
//    high half: the rank        low half: the position
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/ops/topk/kernel_key_heap.h"
#include "compiler/ops/topk/kernel_radix_sort.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

constexpr int64_t kPositionBytes = 8;
constexpr int64_t kVectors = 4;  // vectors that are compared with the root together
constexpr int64_t kSample = 512;

struct TopkLine {
  Value *data, *values, *positions;  // addresses of its beginning in each operand
};

class TopKKernel {
 public:
  TopKKernel(KernelBuilder& b, const relay::Call& call)
      : b_(b),
        dtype_(TensorTypeOf(call.args[0]).dtype),
        ascending_(call.attrs.GetBool("is_ascend")),
        k_(call.attrs.GetInt("k")) {
    const Shape& shape = TensorTypeOf(call.args[0]).shape;
    view_ = relay::ViewAxis(shape, relay::NormalizedAxis(call.attrs.GetInt("axis"), shape.size()));
    rank_bits_ = static_cast<int>(8 * DTypeBytes(dtype_));
    half_bits_ = dtype_ == DType::kInt64 ? 64 : 32;
  }

  int64_t lines() const { return view_.outer * view_.inner; }
  int64_t workspace_bytes() const {
    const int64_t gathered = view_.inner > 1 ? Padded(view_.extent * element_bytes()) : 0;
    if (!counts()) return gathered + k_ * key_bytes();
    return gathered + RadixSort::CountBytes() + Padded(view_.extent * element_bytes()) + 2 * KeysBytes();
  }

  void Emit(const StageArgs& args, const relay::Function& function) {
    const auto result = static_cast<int>(function.params.size());
    memory_ = b_.WorkerWorkspace(args);
    Value *data = b_.Operand(args, ParameterOf(function, 0)), *values = b_.Operand(args, result),
          *positions = b_.Operand(args, result + 1);
    b_.For(args.begin, args.end, 1, [&](Value* line) {
      Value *outer = b_.Div(line, view_.inner), *inner = b_.Mod(line, view_.inner);
      Value* from = b_.Add(b_.Mul(outer, view_.extent * view_.inner), inner);
      Value* to = b_.Add(b_.Mul(outer, k_ * view_.inner), inner);
      EmitLine({b_.At(data, b_.Mul(from, element_bytes())), b_.At(values, b_.Mul(to, element_bytes())),
                b_.At(positions, b_.Mul(to, kPositionBytes))});
    });
  }

 private:
  int64_t element_bytes() const { return DTypeBytes(dtype_); }
  int64_t key_bytes() const { return half_bits_ / 4; }
  static int64_t Padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  llvm::Type* half() { return b_.ir().getIntNTy(half_bits_); }
  llvm::Type* key() { return b_.ir().getIntNTy(2 * half_bits_); }
  llvm::Type* rank() { return b_.ir().getIntNTy(static_cast<unsigned>(rank_bits_)); }
  Value* ElementAt(Value* data, Value* i, int lanes = 1) {
    return LoadElements(b_, dtype_, b_.At(data, b_.Mul(i, element_bytes())), lanes);
  }

  // Whether to count digits. Compares estimated cycles for a line with elements in any order. In a heap about
  // k ln(n / k) elements replace the root.
  bool counts() const {
    const auto n = static_cast<double>(view_.extent), k = static_cast<double>(k_);
    const double sift = 40 + 10 * std::log2(k + 1);
    const double heap = k * (1 + std::log(n / k)) * sift + n / 2;
    const double digits = rank_bits_ / 8.0;
    if (samples()) return n / 2 + 12000 + 6 * digits * static_cast<double>(MostSampled()) / 2 < heap;
    return 3 * n + digits * (600 + 8 * k) + 2500 * digits / 2 < heap;
  }

  // The position of the bound among the sample's ranks: four standard deviations beyond the expected one of the k-th
  // element.
  int64_t SampledPlace() const {
    const double expected = static_cast<double>(k_ * kSample) / static_cast<double>(view_.extent);
    return static_cast<int64_t>(expected + 4 * std::sqrt(expected)) + 4;
  }
  // Twice the number of elements that are expected not to exceed the bound.
  int64_t MostSampled() const { return std::max(kSample, 2 * SampledPlace() * view_.extent / kSample); }
  bool samples() const { return view_.extent >= 8 * kSample && MostSampled() <= view_.extent / 2; }
  int64_t KeysBytes() const { return Padded((std::max(k_, samples() ? MostSampled() : 0) + 1) * key_bytes()); }

  void EmitLine(TopkLine line) {
    Value* memory = memory_;
    if (view_.inner > 1) {
      b_.For(0, view_.extent, 1, [&](Value* i) {
        b_.Store(ElementAt(line.data, b_.Mul(i, view_.inner)), b_.At(memory, b_.Mul(i, element_bytes())));
      });
      line.data = memory;
      memory = b_.At(memory, Padded(view_.extent * element_bytes()));
    }
    counts() ? ByRanks(line, memory) : StoreResults(line, ByHeap(line.data, memory));
  }

  void StoreResults(const TopkLine& line, Value* keys) {
    b_.For(0, k_, 1, [&](Value* i) { StoreResult(line, keys, i); });
  }

  Value* ByHeap(Value* data, Value* memory) {
    KeyHeap heap(b_, key(), memory);
    b_.For(0, k_, 1, [&](Value* i) { heap.Hold(Key(data, i), i); });
    heap.Order(b_.Index(k_));
    const int64_t lanes = b_.lanes(), together = kVectors * lanes;
    const int64_t whole = k_ + (view_.extent - k_) / together * together;
    b_.For(k_, whole, together, [&](Value* first) {
      b_.If(AnyBetter(data, first, kVectors, heap), [&] {
        b_.For(first, b_.Add(first, together), lanes, [&](Value* vector) {
          b_.If(AnyBetter(data, vector, 1, heap), [&] { Enter(data, vector, b_.Add(vector, lanes), heap); });
        });
      });
    });
    Enter(data, b_.Index(whole), b_.Index(view_.extent), heap);
    b_.For(0, k_ - 1, 1, [&](Value* i) {
      Value* last = b_.Sub(b_.Index(k_ - 1), i);
      Value* displaced = heap.Held(last);
      heap.Hold(heap.Held(b_.Index(0)), last);
      heap.Sift(b_.Index(0), displaced, last);
    });
    return memory;
  }

  // Equal elements come later than the root's and are not better.
  Value* AnyBetter(Value* data, Value* first, int64_t vectors, KeyHeap& heap) {
    auto& ir = b_.ir();
    const int lanes = b_.lanes();
    Value* root = b_.Splat(ElementAt(data, PositionIn(heap.Held(b_.Index(0)))), lanes);
    Value* any = nullptr;
    for (int64_t i = 0; i < vectors; ++i) {
      Value* x = ElementAt(data, b_.Add(first, i * lanes), lanes);
      Value* better = Better(x, root);
      any = any == nullptr ? better : ir.CreateOr(any, better);
    }
    return lanes == 1 ? any : ir.CreateOrReduce(any);
  }

  // NaN is better than any number.
  Value* Better(Value* x, Value* than) {
    auto& ir = b_.ir();
    if (IsFloat(x)) {
      Value *order = EmitOrder(b_, x), *bound = EmitOrder(b_, than);
      Value* better = ascending_ ? ir.CreateICmpSLT(order, bound) : ir.CreateICmpSGT(order, bound);
      return ir.CreateOr(better, ir.CreateFCmpUNO(x, x));
    }
    if (is_unsigned()) return ascending_ ? ir.CreateICmpULT(x, than) : ir.CreateICmpUGT(x, than);
    return ascending_ ? ir.CreateICmpSLT(x, than) : ir.CreateICmpSGT(x, than);
  }

  void Enter(Value* data, Value* first, Value* last, KeyHeap& heap) {
    b_.For(first, last, 1, [&](Value* i) {
      Value* candidate = Key(data, i);
      b_.If(b_.ir().CreateICmpSLT(candidate, heap.Held(b_.Index(0))),
            [&] { heap.Sift(b_.Index(0), candidate, b_.Index(k_)); });
    });
  }

  void ByRanks(const TopkLine& line, Value* memory) {
    ranks_ = b_.At(memory, RadixSort::CountBytes());
    keys_ = b_.At(ranks_, Padded(view_.extent * element_bytes()));
    other_ = b_.At(keys_, KeysBytes());
    ForVectors([&](Value* i, int lanes) {
      b_.Store(RankOf(ElementAt(line.data, i, lanes)), b_.At(ranks_, b_.Mul(i, element_bytes())));
    });
    RadixSort sort(b_, rank_bits_, memory);
    const auto sorted = [&](Value* count) { return sort.Sort(keys_, other_, 2 * half_bits_, count); };
    const auto by_counting = [&] {
      ByCounting(sort);
      StoreResults(line, sorted(b_.Index(k_)));
    };
    if (!samples()) return by_counting();
    Value* found = BySample(sort);
    Value* enough = b_.ir().CreateICmpSGE(found, b_.Index(k_));
    Value* fits = b_.ir().CreateAnd(enough, b_.ir().CreateICmpSLE(found, b_.Index(MostSampled())));
    b_.If(fits, [&] { StoreResults(line, sorted(found)); }, by_counting);
  }

  // Writes keys of the elements that do not exceed the bound, at most MostSampled() of them. Returns how many elements
  // do not exceed it.
  Value* BySample(RadixSort& sort) {
    const int64_t apart = view_.extent / kSample * element_bytes();
    b_.For(0, kSample, 1, [&](Value* i) {
      b_.Store(b_.LoadAs(rank(), b_.At(ranks_, b_.Mul(i, apart))), b_.At(other_, b_.Mul(i, element_bytes())));
    });
    Value* bound = sort.KthLeast(other_, kSample, SampledPlace()).number;
    return ForRanksUpTo(bound, {b_.Index(0)}, [&](Value* i, Value* number, const Vals& so_far) {
      StoreKey(b_.Min(so_far[0], b_.Index(MostSampled())), number, i);
      return Vals{b_.Add(so_far[0], b_.ir().CreateZExt(b_.ir().CreateICmpULE(number, bound), b_.i64()))};
    })[0];
  }

  // Writes each key to the next position, and advances that only if the element is wanted. So k + 1 positions are
  // written.
  void ByCounting(RadixSort& sort) {
    auto& ir = b_.ir();
    const auto all_ones = llvm::Constant::getAllOnesValue(rank());
    const bool all = k_ == view_.extent;
    const RadixSort::Kth kth = all ? RadixSort::Kth{all_ones, b_.Index(k_)} : sort.KthLeast(ranks_, view_.extent, k_);
    ForRanksUpTo(kth.number, {b_.Index(0), b_.Index(0)}, [&](Value* i, Value* number, const Vals& so_far) {
      StoreKey(so_far[0], number, i);
      Value* is_kth = ir.CreateICmpEQ(number, kth.number);
      Value* wanted = ir.CreateOr(ir.CreateICmpULT(number, kth.number),
                                  ir.CreateAnd(is_kth, ir.CreateICmpULT(so_far[1], kth.equal)));
      return Vals{b_.Add(so_far[0], ir.CreateZExt(wanted, b_.i64())),
                  b_.Add(so_far[1], ir.CreateZExt(is_kth, b_.i64()))};
    });
  }

  void StoreKey(Value* place, Value* number, Value* i) {
    auto& ir = b_.ir();
    Value* high = ir.CreateShl(ir.CreateZExt(number, key()), 2 * half_bits_ - static_cast<unsigned>(rank_bits_));
    b_.Store(ir.CreateOr(high, ir.CreateZExtOrTrunc(i, key())), b_.At(keys_, b_.Mul(place, key_bytes())));
  }

  // Runs body for the elements of each vector that has a rank of at most `bound`, and for the rest of the line. Returns
  // the last carried values.
  Vals ForRanksUpTo(Value* bound, const Vals& start,
                    const std::function<Vals(Value* i, Value* number, const Vals& so_far)>& body) {
    auto& ir = b_.ir();
    const int lanes = std::max(1, b_.lanes() * 32 / rank_bits_);
    const int64_t whole = view_.extent / lanes * lanes;
    const auto at = [&](Value* i) { return b_.At(ranks_, b_.Mul(i, element_bytes())); };
    const auto each = [&](Value* i, const Vals& so_far) { return body(i, b_.LoadAs(rank(), at(i)), so_far); };
    const Vals passed = b_.Loop(0, whole, lanes, start, [&](Value* first, const Vals& so_far) {
      Value* any = ir.CreateICmpULE(b_.LoadAs(VectorOf(rank(), lanes), at(first)), b_.Splat(bound, lanes));
      if (lanes > 1) any = ir.CreateOrReduce(any);
      return b_.Loop(first, ir.CreateSelect(any, b_.Add(first, lanes), first), 1, so_far, each);
    });
    return b_.Loop(whole, view_.extent, 1, passed, each);
  }

  void ForVectors(const std::function<void(Value* i, int lanes)>& body) {
    const int64_t lanes = b_.lanes(), whole = view_.extent / lanes * lanes;
    b_.For(0, whole, lanes, [&](Value* i) { body(i, static_cast<int>(lanes)); });
    b_.For(whole, view_.extent, 1, [&](Value* i) { body(i, 1); });
  }

  // The element's position in its type's order, the best one least, as an unsigned number of as many bits.
  Value* RankOf(Value* x) {
    auto& ir = b_.ir();
    llvm::Type* type = x->getType()->getWithNewType(rank());
    Value* top = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(static_cast<unsigned>(rank_bits_)));
    Value* order = IsFloat(x) ? FloatOrder(b_, x) : x;
    Value* number = is_unsigned() ? order : ir.CreateXor(order, top);
    if (!ascending_) number = ir.CreateNot(number);
    return IsFloat(x) ? ir.CreateSelect(ir.CreateFCmpUNO(x, x), llvm::Constant::getNullValue(type), number) : number;
  }
  bool is_unsigned() const { return dtype_ == DType::kUInt8 || dtype_ == DType::kBool; }

  // Keys are signed, as heaps compare them, so the highest bit of the rank is inverted.
  Value* Key(Value* data, Value* i) {
    auto& ir = b_.ir();
    Value* high = ir.CreateZExt(RankOf(ElementAt(data, i)), key());
    high = ir.CreateShl(high, 2 * half_bits_ - static_cast<unsigned>(rank_bits_));
    high = ir.CreateXor(high, llvm::ConstantInt::get(key(), llvm::APInt::getSignedMinValue(2 * half_bits_)));
    return ir.CreateOr(high, ir.CreateZExtOrTrunc(i, key()));
  }

  Value* PositionIn(Value* held) { return b_.ir().CreateZExt(b_.ir().CreateTrunc(held, b_.i32()), b_.i64()); }

  void StoreResult(const TopkLine& line, Value* keys, Value* i) {
    Value* position = PositionIn(b_.LoadAs(key(), b_.At(keys, b_.Mul(i, key_bytes()))));
    b_.Store(ElementAt(line.data, position), b_.At(line.values, b_.Mul(i, view_.inner * element_bytes())));
    b_.Store(position, b_.At(line.positions, b_.Mul(i, view_.inner * kPositionBytes)));
  }

  KernelBuilder& b_;
  const DType dtype_;
  const bool ascending_;
  const int64_t k_;
  relay::AxisView view_;
  int rank_bits_ = 32;
  unsigned half_bits_ = 32;
  Value* memory_ = nullptr;
  Value *ranks_ = nullptr, *keys_ = nullptr, *other_ = nullptr;
};

EmittedKernel EmitTopK(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  TopKKernel kernel(builder, *WholeCallOf(function));
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.Emit(args, function); });
  return {{{symbol, kernel.lines(), 1, kernel.workspace_bytes()}}, 0};
}

}  // namespace

EmitterTable TopKEmitters() { return {{"topk", EmitTopK}}; }

}  // namespace hone
