// A block of 32 integers of 4 bits in shorts. Each box is a lane of 32 bits:
//
//   start    | -8 (x0 + x1 + ..)  -8 (x4 + x5 + ..) |    int16, quantised with the row: centres the weights
//   word     | + w0 x0 + w2 x2    + w4 x4 + w6 x6   |    group 0; weights are 0 to 15 (vpmaddubsw, vpaddw)
//            | + w1 x1 + w3 x3    + w5 x5 + w7 x7   |    group 1
//   ..
//   end      | sum of both, int32                   |    (vpmaddwd by ones)
//
// Sums of int16 wrap around on the way. At the end of a part none leaves int16: 32 products of at
// most 8 * 127 are 32,512. Two products of a pair are at most 2 * 15 * 127, so that none saturates.
#include "compiler/schedules/matmul/block_dots.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "core/nth.h"

namespace hone {
namespace {

llvm::FixedVectorType* BytesOfLanes(KernelBuilder& b, int lanes) {
  return llvm::FixedVectorType::get(b.ir().getInt8Ty(), static_cast<unsigned>(kDotGroup * lanes));
}
llvm::FixedVectorType* ShortsOfLanes(KernelBuilder& b, int lanes) {
  return llvm::FixedVectorType::get(b.ir().getInt16Ty(), static_cast<unsigned>(2 * lanes));
}

// Two products each of an unsigned and a signed byte as int16: vpmaddubsw.
Value* PairsOfBytes(KernelBuilder& b, Value* unsigned_bytes, Value* signed_bytes, int lanes) {
  const auto id = lanes == 16 ? llvm::Intrinsic::x86_avx512_pmaddubs_w_512 : llvm::Intrinsic::x86_avx2_pmadd_ub_sw;
  return b.ir().CreateIntrinsic(id, {}, {unsigned_bytes, signed_bytes});
}

// The sum of each two int16 as int32: vpmaddwd by ones.
Value* JoinedShorts(KernelBuilder& b, Value* shorts, int lanes) {
  const auto id = lanes == 16 ? llvm::Intrinsic::x86_avx512_pmaddw_d_512 : llvm::Intrinsic::x86_avx2_pmadd_wd;
  return b.ir().CreateIntrinsic(id, {}, {shorts, llvm::ConstantInt::get(shorts->getType(), 1)});
}

// The bytes `x`, negated where those of `w` are negative. Where w is 0, it is any number.
Value* WithSignsOf(KernelBuilder& b, Value* x, Value* w, int lanes) {
  auto& ir = b.ir();
  if (lanes == 8) return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx2_psign_b, {}, {x, w});
  return ir.CreateSelect(ir.CreateICmpSLT(w, llvm::Constant::getNullValue(w->getType())), ir.CreateNeg(x), x);
}

}  // namespace

BlockStep BlockStepOn(const MachineModel& machine, const BlockFormat& format, int lanes) {
  const bool pairs = machine.byte_dots == ByteDots::kPairs && machine.vector_lanes >= 8 && (lanes == 8 || lanes == 16);
  if (!pairs) return BlockStep::kFours;
  return format.bits == 8 ? BlockStep::kSigns : BlockStep::kShorts;
}

QuantisedRows RowsForStep(BlockStep step, const BlockFormat& format, int64_t columns) {
  constexpr int64_t kMostInShorts = 512;  // columns of a part times the largest magnitude of a centred weight
  const int64_t part = step == BlockStep::kShorts ? std::min(format.block, kMostInShorts >> (format.bits - 1)) : 0;
  return {format, columns, part};
}

double StepCost(BlockStep step, const MachineModel& machine) {
  switch (step) {
    case BlockStep::kShorts:
      return 1.2;
    case BlockStep::kSigns:
      return 2.4;
    case BlockStep::kFours:
      break;
  }
  return machine.byte_dots == ByteDots::kMixedFours || machine.byte_dots == ByteDots::kSignedFours ? 1 : 6;
}

BlockDots::BlockDots(KernelBuilder& b, const QuantisedRows& rows, const BlockPanels& panels, int lanes, int64_t unroll,
                     int64_t prefetch)
    : b_(b),
      rows_(rows),
      panels_(panels),
      lanes_(lanes),
      unroll_(unroll),
      prefetch_(prefetch),
      step_(BlockStepOn(b.machine(), rows.format, lanes)),
      bytes_are_signed_(rows.format.bits == 8 &&
                        (step_ == BlockStep::kSigns || b.machine().byte_dots == ByteDots::kSignedFours)) {}

Vals BlockDots::Sums(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block,
                     int64_t columns) const {
  if (step_ == BlockStep::kShorts) return SumsInShorts(registers, x, at, block, columns);
  Value* first = b_.Mul(block, rows_.format.Words(rows_.format.block));
  return OverWords(0, rows_.format.Words(columns), StartValues(registers, x, at, block, true),
                   [&](Vals& acc, Value* word) { Word(registers, acc, x, first, word, at); });
}

Vals BlockDots::SumsInShorts(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block,
                             int64_t columns) const {
  auto& ir = b_.ir();
  const BlockFormat& format = rows_.format;
  Value* first = b_.Mul(block, format.Words(format.block));
  Vals sums;
  if (format.zeros) sums = StartValues(registers, x, at, block, false);
  for (int64_t part = 0; part * rows_.part < columns; ++part) {
    Vals shorts;
    for (int p = 0; p < registers.pixels; ++p) {
      Value* start = b_.At(b_.At(Nth(x, p), rows_.starts_at()), b_.Mul(b_.Add(b_.Mul(block, rows_.parts()), part), 4));
      Value* all = b_.Splat(LoadElements(b_, DType::kInt32, start, 1), lanes_);
      shorts.insert(shorts.end(), static_cast<size_t>(registers.vectors),
                    ir.CreateBitCast(all, ShortsOfLanes(b_, lanes_)));
    }
    const int64_t end = std::min(columns, (part + 1) * rows_.part);
    shorts = OverWords(format.Words(part * rows_.part), format.Words(end), shorts,
                       [&](Vals& acc, Value* word) { Word(registers, acc, x, first, word, at); });
    for (size_t i = 0; i < shorts.size(); ++i) {
      Value* joined = JoinedShorts(b_, shorts[i], lanes_);
      if (sums.size() < shorts.size()) {
        sums.push_back(joined);
      } else {
        sums[i] = ir.CreateAdd(sums[i], joined);
      }
    }
  }
  return sums;
}

Vals BlockDots::OverWords(int64_t from, int64_t to, Vals sums, const Body& body) const {
  const auto reduce = [&](int64_t lo, int64_t hi, int64_t unroll) {
    sums = b_.Loop(lo, hi, unroll, sums, [&](Value* word, const Vals& carried) {
      Vals acc = carried;
      for (int64_t u = 0; u < unroll; ++u) body(acc, b_.Add(word, u));
      return acc;
    });
  };
  const int64_t main = to - (to - from) % unroll_;
  reduce(from, main, unroll_);
  reduce(main, to, 1);
  return sums;
}

// The sums' first values, so that products with the stored bytes give those with the centred ones.
Vals BlockDots::StartValues(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block,
                            bool with_middle) const {
  auto& ir = b_.ir();
  const Vals zeros = panels_.Zeros(at, registers.vectors);
  Vals start;
  for (int p = 0; p < registers.pixels; ++p) {
    Value* sum = LoadElements(b_, DType::kInt32, b_.At(b_.At(Nth(x, p), rows_.sums_at()), b_.Mul(block, 4)), 1);
    const int64_t middle = with_middle ? Middle() : 0;
    Value* all = b_.Splat(ir.CreateMul(sum, ir.getInt32(static_cast<uint32_t>(-middle))), lanes_);
    for (int v = 0; v < registers.vectors; ++v) {
      if (zeros.empty()) start.push_back(all);
      if (!zeros.empty()) start.push_back(ir.CreateSub(all, ir.CreateMul(b_.Splat(sum, lanes_), Nth(zeros, v))));
    }
  }
  return start;
}

void BlockDots::Word(const RegisterTile& registers, Vals& acc, const Vals& x, Value* first, Value* word,
                     const PanelAddresses& at) const {
  Vals packed = panels_.Words(at, word, registers.vectors, prefetch_);
  for (Value*& words : packed) words = Centred(words);
  Value* bytes = b_.Mul(b_.Add(first, word), rows_.format.per_word());
  for (int64_t g = 0; g < rows_.groups(); ++g) {
    registers.Step(
        b_, acc,
        [&](int p) { return LoadElements(b_, DType::kInt32, b_.At(b_.At(Nth(x, p), bytes), g * kDotGroup), 1); },
        [&](int v) { return Group(Nth(packed, v), g); },
        [&](KernelBuilder& b, Value* of_row, Value* w, Value* sum) {
          return Step(b.ir().CreateBitCast(of_row, BytesOfLanes(b, lanes_)), w, sum);
        });
  }
}

// Adds the products of fours. The weights are the dot product's data: of two factors the first may be unsigned.
Value* BlockDots::Step(Value* fours, Value* weights, Value* sum) const {
  auto& ir = b_.ir();
  if (step_ == BlockStep::kFours) {
    return DotProduct(bytes_are_signed_ ? DType::kInt8 : DType::kUInt8, DType::kInt8)(b_, weights, fours, sum);
  }
  Value* bytes = ir.CreateBitCast(weights, BytesOfLanes(b_, lanes_));
  if (step_ == BlockStep::kShorts) return ir.CreateAdd(sum, PairsOfBytes(b_, bytes, fours, lanes_));
  // Two products are at most 2 * 128 * 127, which int16 holds.
  Value* sizes = ir.CreateIntrinsic(llvm::Intrinsic::abs, {bytes->getType()}, {bytes, ir.getFalse()});
  Value* pairs = PairsOfBytes(b_, sizes, WithSignsOf(b_, fours, bytes, lanes_), lanes_);
  return ir.CreateAdd(sum, JoinedShorts(b_, pairs, lanes_));
}

// The stored integers plus the middle of their range, so that none is negative.
Value* BlockDots::Centred(Value* words) const {
  if (bytes_are_signed_) return words;
  uint32_t middles = 0;
  for (int64_t i = 0; i < rows_.format.per_word(); ++i) {
    middles |= static_cast<uint32_t>(Middle()) << static_cast<uint32_t>(i * rows_.format.bits);
  }
  return b_.ir().CreateXor(words, llvm::ConstantInt::get(words->getType(), middles));
}

// Group number `g` of four integers of each lane's word, as bytes.
Value* BlockDots::Group(Value* words, int64_t g) const {
  auto& ir = b_.ir();
  const auto bits = static_cast<int>(rows_.format.bits);
  if (bits == 8) return words;
  if (g > 0) words = ir.CreateLShr(words, static_cast<uint64_t>(bits) * static_cast<uint64_t>(g));
  const uint32_t mask = ((1U << static_cast<uint32_t>(bits)) - 1) * 0x01010101U;
  return ir.CreateAnd(words, llvm::ConstantInt::get(words->getType(), mask));
}

// The number that is added to each stored integer before it is multiplied.
int64_t BlockDots::Middle() const { return bytes_are_signed_ ? 0 : int64_t{1} << (rows_.format.bits - 1); }

}  // namespace hone
