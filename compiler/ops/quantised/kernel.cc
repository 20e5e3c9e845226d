// byte_table. x86 looks up 16 bytes of a table in one instruction, by the lower half of each byte. A table of 256 bytes
// has 16 such rows. Each row is looked up, and then the bits of the upper half choose between neighbours, the lowest
// bit first:
//
//    rows      0 1   2 3   4 5   6 7   ...   14 15
//    bit 4      |     |     |     |             |
//    bit 5      +--.--+     +--.--+            ...
//    bit 6         +-----.-----+
//    bit 7               +-----------.-------------
//
// AVX-512 looks up one of 32 words of four bytes, by the bits 2 to 6, in one instruction for 16 lanes. Bit 7 chooses
// between two such lookups, and bits 0 and 1 shift the byte to its place.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <numeric>

#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

using Table = std::vector<int64_t>;

constexpr int kTableRowBytes = 16;

llvm::Intrinsic::ID LookUpOf(KernelBuilder& b, int lanes) {
  if (!llvm::Triple(b.module().getTargetTriple()).isX86()) return llvm::Intrinsic::not_intrinsic;
  if (lanes == kTableRowBytes) return llvm::Intrinsic::x86_ssse3_pshuf_b_128;
  if (lanes == 2 * kTableRowBytes && b.machine().vector_lanes >= 8) return llvm::Intrinsic::x86_avx2_pshuf_b;
  return llvm::Intrinsic::not_intrinsic;
}

// A row of the table, repeated for each 16 lanes.
llvm::Constant* Row(KernelBuilder& b, const Table& table, int row, int lanes) {
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>(lanes));
  for (int l = 0; l < lanes; ++l)
    bytes.push_back(static_cast<uint8_t>(Nth(table, row * kTableRowBytes + l % kTableRowBytes)));
  return llvm::ConstantDataVector::get(b.ir().getContext(), bytes);
}

Value* InRows(KernelBuilder& b, llvm::Intrinsic::ID look_up, const Table& table, Value* x, int lanes) {
  constexpr int kRows = 16, kFirstBit = 4, kSignBit = 7;
  auto& ir = b.ir();
  Value* in_row = ir.CreateAnd(x, Like(x, kTableRowBytes - 1));
  Vals found;
  for (int r = 0; r < kRows; ++r) found.push_back(ir.CreateIntrinsic(look_up, {}, {Row(b, table, r, lanes), in_row}));
  for (int bit = kFirstBit; bit <= kSignBit; ++bit) {
    // A select by the sign bit is one instruction.
    Value* upper = ir.CreateICmpSLT(ir.CreateShl(x, Like(x, kSignBit - bit)), Like(x, 0));
    for (size_t i = 0; 2 * i < found.size(); ++i) found[i] = ir.CreateSelect(upper, found[2 * i + 1], found[2 * i]);
    found.resize(found.size() / 2);
  }
  return found[0];
}

constexpr int kWordLanes = 16, kWordBytes = 4;

// Words [first, first + 16) of the table.
llvm::Constant* TableWords(KernelBuilder& b, const Table& table, int first) {
  std::vector<uint32_t> words;
  for (int word = first; word < first + kWordLanes; ++word) {
    uint32_t bytes = 0;
    for (int i = kWordBytes; i-- > 0;) bytes = bytes << 8U | static_cast<uint8_t>(Nth(table, word * kWordBytes + i));
    words.push_back(bytes);
  }
  return llvm::ConstantDataVector::get(b.ir().getContext(), words);
}

Value* InWords(KernelBuilder& b, const Table& table, Value* x) {
  auto& ir = b.ir();
  Value* wide = ir.CreateZExt(x, VectorOf(b.i32(), kWordLanes));
  Value* word = ir.CreateLShr(wide, Like(wide, 2));
  const auto half = [&](int first) {
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                              {TableWords(b, table, first), word, TableWords(b, table, first + kWordLanes)});
  };
  Value* lower = half(0);
  Value* found = ir.CreateSelect(ir.CreateICmpUGE(wide, Like(wide, 128)), half(2 * kWordLanes), lower);
  Value* bits = ir.CreateShl(ir.CreateAnd(wide, Like(wide, kWordBytes - 1)), Like(wide, 3));
  return ir.CreateTrunc(ir.CreateLShr(found, bits), x->getType());
}

bool HasWordLookUps(KernelBuilder& b, int lanes) {
  return llvm::Triple(b.module().getTargetTriple()).isX86() && b.machine().vector_lanes == kWordLanes &&
         lanes % kWordLanes == 0;
}

// Looks up 16 lanes after the other.
Value* InPieces(KernelBuilder& b, const Table& table, Value* x, int lanes) {
  Value* all = llvm::PoisonValue::get(x->getType());
  for (int first = 0; first < lanes; first += kWordLanes) {
    std::vector<int> piece(kWordLanes);
    std::iota(piece.begin(), piece.end(), first);
    Value* found = InWords(b, table, b.ir().CreateShuffleVector(x, llvm::ArrayRef<int>(piece)));
    all = b.ir().CreateInsertVector(x->getType(), all, found, b.ir().getInt64(static_cast<uint64_t>(first)));
  }
  return all;
}

Value* OneByOne(KernelBuilder& b, const Table& table, Value* x, int lanes) {
  auto& ir = b.ir();
  std::vector<uint8_t> bytes(table.begin(), table.end());
  auto* value = llvm::ConstantDataArray::get(ir.getContext(), bytes);
  auto* constant =
      new llvm::GlobalVariable(b.module(), value->getType(), true, llvm::GlobalValue::PrivateLinkage, value);
  const auto look_up = [&](Value* byte) -> Value* {
    Value* at = ir.CreateGEP(ir.getInt8Ty(), constant, {ir.CreateZExt(byte, ir.getInt64Ty())});
    return ir.CreateAlignedLoad(ir.getInt8Ty(), at, llvm::Align(1));
  };
  if (!x->getType()->isVectorTy()) return look_up(x);
  Value* result = llvm::PoisonValue::get(x->getType());
  for (int l = 0; l < lanes; ++l) {
    const auto lane = static_cast<uint64_t>(l);
    result = ir.CreateInsertElement(result, look_up(ir.CreateExtractElement(x, lane)), lane);
  }
  return result;
}

Value* ByteTable(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = Argument(e, call, 0, at, lanes);
  const Table table = call.attrs.GetInts("table");
  if (HasWordLookUps(e.b(), lanes.count)) return InPieces(e.b(), table, x, lanes.count);
  if (const auto look_up = LookUpOf(e.b(), lanes.count)) return InRows(e.b(), look_up, table, x, lanes.count);
  return OneByOne(e.b(), table, x, lanes.count);
}

}  // namespace

EmitterTable ByteTableEmitters() { return {{"byte_table", ByteTable}}; }

}  // namespace hone
