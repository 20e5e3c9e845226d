// Random numbers that depend on nothing but a seed and their place.
#include <fmt/format.h>

#include "compiler/ops/op_families.h"
#include "compiler/ops/random/op_philox.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

TypePtr UniformType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& seed = RowMajorArg(args, 0, "seed");
  if (!seed.shape.empty()) Misfit(fmt::format("seed is {}, it must be one number", ShapeText(seed.shape)));
  const int64_t word = attrs.GetInt("word");
  if (word < 0 || word > 3) Misfit(fmt::format("word is {}, it must be 0 to 3", word));
  const Shape shape = attrs.GetInts("shape");
  for (const int64_t extent : shape) {
    if (extent < 0) Misfit(fmt::format("shape is {}", ShapeText(shape)));
  }
  return TensorType(shape, DType::kFloat32);
}

std::vector<Tensor> Uniform(const std::vector<Tensor>& args, const Attrs& attrs) {
  const auto low = [](int64_t x) { return static_cast<uint32_t>(x); };
  const auto high = [](int64_t x) { return static_cast<uint32_t>(static_cast<uint64_t>(x) >> 32); };
  const int64_t seed = args[0].data<int64_t>()[0], stream = attrs.GetInt("stream");
  const auto word = static_cast<size_t>(attrs.GetInt("word"));
  Tensor result(DType::kFloat32, attrs.GetInts("shape"));
  for (int64_t i = 0; i < result.elements(); ++i) {
    const auto words = Philox({low(i), high(i), low(stream), high(stream)}, {low(seed), high(seed)});
    result.data<float>()[i] = static_cast<float>(words.at(word) >> 8) * kPhiloxUnit;
  }
  return {result};
}

}  // namespace

OpTable RandomOps() {
  OpDef def;
  def.name = "random.uniform";
  def.description = "float32 numbers in [0, 1) by Philox 4x32-10: the seed is its key, place and stream its counter";
  def.inputs = {{"seed", "one number", DType::kInt64}};
  def.results = {{"result", kKernelFloat}};
  def.attrs = {{"shape", AttrKind::kInts, std::vector<int64_t>{}, "of the result"},
               {"stream", AttrKind::kInt, int64_t{0}, "tells apart the calls that share a seed"},
               {"word", AttrKind::kInt, int64_t{0}, "which of a counter's four words, from 0 to 3"}};
  def.support_level = 10;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kNative;
  def.type_relation = UniformType;
  def.reference = Uniform;
  return {def};
}

}  // namespace hone::relay
