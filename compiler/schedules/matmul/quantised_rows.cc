#include "compiler/schedules/matmul/quantised_rows.h"

#include <algorithm>
#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/rounding.h"

namespace hone {
namespace {

constexpr double kMostByte = 127;

class RowEmitter {
 public:
  RowEmitter(KernelBuilder& b, const QuantisedRows& rows, Value* from, Value* to)
      : b_(b), rows_(rows), lanes_(static_cast<int>(rows.format.per_word())), from_(from), to_(to) {}

  void Block(Value* block, int64_t columns) {
    auto& ir = b_.ir();
    Value* first = b_.Mul(block, rows_.format.Words(rows_.format.block));
    auto* none = llvm::Constant::getNullValue(VectorOf(b_.i32(), lanes_));
    // Magnitudes have the order of their bits, and those of NaN are above all others.
    Value* bits = EachWord(first, columns, none, [&](Value*, Value* x, Value* most) {
      Value* size = ir.CreateAnd(ir.CreateBitCast(x, none->getType()), 0x7fffffff);
      return ir.CreateSelect(ir.CreateICmpSGT(size, most), size, most);
    });
    Value* largest = ir.CreateBitCast(ir.CreateIntMaxReduce(bits, true), b_.f32());
    Value* zero = b_.Float(0);
    Value* factor = ir.CreateSelect(ir.CreateFCmpOGT(largest, zero), b_.FDiv(b_.Float(kMostByte), largest), zero);
    const int64_t part = rows_.part == 0 ? columns : rows_.part;
    Value* sums = none;
    for (int64_t from = 0; from < columns; from += part) {
      Value* begin = b_.Add(first, rows_.format.Words(from));
      Value* of_part = EachWord(begin, std::min(part, columns - from), none, [&](Value* word, Value* x, Value* sum) {
        Value* whole = Whole(b_.FMul(x, b_.Splat(factor, lanes_)));
        Value* bytes = ir.CreateTrunc(whole, VectorOf(ir.getInt8Ty(), lanes_));
        b_.Store(ir.CreateShuffleVector(bytes, Order()), b_.At(to_, b_.Mul(word, lanes_)));
        return ir.CreateAdd(sum, whole);
      });
      if (rows_.part != 0) StoreStart(of_part, b_.Add(b_.Mul(block, rows_.parts()), from / part));
      sums = ir.CreateAdd(sums, of_part);
    }
    Value* at = b_.Mul(block, 4);
    b_.Store(Step(largest), b_.At(b_.At(to_, rows_.steps_at()), at));
    b_.Store(ir.CreateAddReduce(sums), b_.At(b_.At(to_, rows_.sums_at()), at));
  }

 private:
  // Bytes 4i and 4i + 1 of a stored word are the first half of its integers.
  void StoreStart(Value* sums, Value* number) {
    auto& ir = b_.ir();
    const auto half = [&](int first) {
      std::vector<int> order;
      for (int i = 0; i < lanes_ / 2; ++i) order.push_back(first + i);
      Value* sum = ir.CreateAddReduce(ir.CreateShuffleVector(sums, order));
      return ir.CreateTrunc(ir.CreateMul(sum, ir.getInt32(-(1U << (rows_.format.bits - 1)))), ir.getInt16Ty());
    };
    Value* at = b_.At(b_.At(to_, rows_.starts_at()), b_.Mul(number, 4));
    b_.Store(half(0), at);
    b_.Store(half(lanes_ / 2), b_.At(at, 2));
  }

  Value* Constant(double value) { return b_.FloatVec(static_cast<float>(value), lanes_); }

  // Carries a value over the block's words: body(word, its elements, value).
  template <typename Body>
  Value* EachWord(Value* first, int64_t columns, Value* start, const Body& body) {
    const int64_t words = columns / lanes_, rest = columns % lanes_;
    const auto at = [&](Value* word) { return b_.At(from_, b_.Mul(word, Bytes(DType::kFloat32, lanes_))); };
    Value* end = b_.Add(first, words);
    Value* value = b_.Loop(first, end, 1, {start}, [&](Value* word, const Vals& in) {
      return Vals{body(word, b_.Load(at(word), lanes_), in[0])};
    })[0];
    if (rest == 0) return value;
    Value* last = Constant(0);
    for (int64_t i = 0; i < rest; ++i) {
      Value* element = b_.Load(b_.At(at(end), Bytes(DType::kFloat32, i)));
      last = b_.ir().CreateInsertElement(last, element, static_cast<uint64_t>(i));
    }
    return body(end, last, value);
  }

  // NaN if the block holds one, or an infinity.
  Value* Step(Value* largest) { return b_.FAdd(b_.FDiv(largest, b_.Float(kMostByte)), b_.FSub(largest, largest)); }

  // NaN becomes the least byte; the step beside it is NaN, too.
  Value* Whole(Value* x) {
    auto& ir = b_.ir();
    Value *least = Constant(-kMostByte), *most = Constant(kMostByte);
    x = ir.CreateSelect(ir.CreateFCmpOGT(x, least), x, least);
    return EmitNearestWhole(b_, ir.CreateSelect(ir.CreateFCmpOLT(x, most), x, most));
  }

  // Element 4 * g + j of a stored word is number g + groups * j.
  std::vector<int> Order() const {
    std::vector<int> order;
    const int groups = static_cast<int>(rows_.groups());
    for (int g = 0; g < groups; ++g) {
      for (int j = 0; j < 4; ++j) order.push_back(g + groups * j);
    }
    return order;
  }

  KernelBuilder& b_;
  const QuantisedRows& rows_;
  int lanes_;
  Value *from_, *to_;
};

}  // namespace

void QuantisedRows::Emit(KernelBuilder& b, Value* from, Value* to) const {
  // A fused product and sum would round to another byte.
  const llvm::IRBuilderBase::FastMathFlagGuard restores(b.ir());
  b.ir().clearFastMathFlags();
  RowEmitter row(b, *this, from, to);
  const int64_t whole = columns / format.block, rest = columns % format.block;
  b.For(0, whole, 1, [&](Value* block) { row.Block(block, format.block); });
  if (rest != 0) row.Block(b.Index(whole), rest);
}

}  // namespace hone
