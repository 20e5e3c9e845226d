// Random numbers: each lane computes its own block of the generator, so that no order or share of work matters.
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/random/op_philox.h"

namespace hone {
namespace {

using Words = std::array<Value*, 4>;

// The places of the lanes in row-major order, as 64-bit integers.
Value* PlacesOf(Evaluator& e, const Shape& shape, const Coordinates& at, Lanes lanes) {
  auto& ir = e.b().ir();
  Value* place = e.b().Index(0);
  int64_t stride = 1, step = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    place = e.b().Add(place, e.b().Mul(at[d].base, stride));
    step += at[d].step * stride;
    stride *= shape[d];
  }
  if (lanes.count == 1) return place;
  std::vector<llvm::Constant*> steps;
  for (int lane = 0; lane < lanes.count; ++lane) steps.push_back(ir.getInt64(static_cast<uint64_t>(lane * step)));
  return ir.CreateAdd(ir.CreateVectorSplat(static_cast<unsigned>(lanes.count), place),
                      llvm::ConstantVector::get(steps));
}

// The lower and upper halves of 64-bit integers.
std::array<Value*, 2> HalvesOf(llvm::IRBuilderBase& ir, Value* wide) {
  llvm::Type* word = wide->getType()->getWithNewBitWidth(32);
  return {ir.CreateTrunc(wide, word), ir.CreateTrunc(ir.CreateLShr(wide, 32), word)};
}

// Equals Philox (op_philox.h), lane by lane.
Words PhiloxOf(llvm::IRBuilderBase& ir, Words counter, std::array<Value*, 2> key) {
  llvm::Type* word = counter[0]->getType();
  const auto product = [&](Value* x, uint32_t factor) {
    llvm::Type* wide = word->getWithNewBitWidth(64);
    return HalvesOf(ir, ir.CreateMul(ir.CreateZExt(x, wide), llvm::ConstantInt::get(wide, factor)));
  };
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const auto a = product(counter[0], kPhiloxMultipliers[0]), b = product(counter[2], kPhiloxMultipliers[1]);
    counter = {ir.CreateXor(ir.CreateXor(b[1], counter[1]), key[0]), b[0],
               ir.CreateXor(ir.CreateXor(a[1], counter[3]), key[1]), a[0]};
    for (size_t i = 0; i < key.size(); ++i) {
      key[i] = ir.CreateAdd(key[i], llvm::ConstantInt::get(word, kPhiloxKeySteps[i]));
    }
  }
  return counter;
}

Value* RandomUniform(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  auto& ir = e.b().ir();
  const auto place = HalvesOf(ir, PlacesOf(e, call.type->shape, at, lanes));
  const auto seed = HalvesOf(ir, e.Eval(call.args[0], {}, kScalar));
  const auto stream = static_cast<uint64_t>(call.attrs.GetInt("stream"));
  llvm::Type* word = place[0]->getType();
  const auto all = [&](Value* scalar) {
    return lanes.count == 1 ? scalar : ir.CreateVectorSplat(static_cast<unsigned>(lanes.count), scalar);
  };
  const Words counter{place[0], place[1], llvm::ConstantInt::get(word, stream & 0xFFFFFFFF),
                      llvm::ConstantInt::get(word, stream >> 32)};
  const Words words = PhiloxOf(ir, counter, {all(seed[0]), all(seed[1])});
  Value* bits = ir.CreateLShr(words.at(static_cast<size_t>(call.attrs.GetInt("word"))), 8);
  Value* number = ir.CreateSIToFP(bits, e.b().VecType(lanes.count));
  return ir.CreateFMul(number, llvm::ConstantFP::get(number->getType(), kPhiloxUnit));
}

}  // namespace

EmitterTable RandomEmitters() { return {{"random.uniform", RandomUniform}}; }

}  // namespace hone
