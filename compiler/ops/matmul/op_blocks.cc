// Weights stored as integers in blocks: their real values, and the product with them.
#include "compiler/ops/matmul/op_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {

BlockFormat BlockFormatOf(const Attrs& attrs, bool zeros) {
  const int64_t bits = attrs.GetInt("bits", 4), block = attrs.GetInt("block");
  return BlockFormat::Parse(fmt::format("int{}x{}{}", bits, block, zeros ? ",zeros" : ""));
}

bool QuantisesRows(const Attrs& attrs) {
  const std::string activations = attrs.GetString("activations", "float32");
  if (activations != "float32" && activations != "int8") {
    Misfit(fmt::format("activations = \"{}\" must be float32 or int8", activations));
  }
  return activations == "int8";
}

Attrs BlockAttrs(const BlockFormat& format) { return {{"bits", format.bits}, {"block", format.block}}; }

namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

// Arguments from `first` on: words, scales and perhaps zero points. The shape of the real weights with `columns`.
Shape RealShape(const Types& args, size_t first, const Attrs& attrs, int64_t columns) {
  const BlockFormat format = BlockFormatOf(attrs, args.size() > first + 2);
  const auto require = [&](size_t i, const char* what, int64_t extent) {
    const Shape &shape = RowMajorArg(args, i, what).shape, &words = args[first]->shape;
    const bool fits = shape.size() == words.size() && !shape.empty() && shape.back() == extent &&
                      std::equal(shape.begin(), shape.end() - 1, words.begin());
    if (!fits)
      Misfit(fmt::format("{} is {}; rows of {} are right for {} columns", what, ShapeText(shape), extent, columns));
  };
  require(first, "weight", format.Words(columns));
  require(first + 1, "scales", format.Blocks(columns));
  if (format.zeros) require(first + 2, "zeros", format.Blocks(columns));
  Shape shape = args[first]->shape;
  shape.back() = columns;
  return shape;
}

TypePtr UnpackType(const Types& args, const Attrs& attrs) {
  const int64_t columns = attrs.GetInt("columns");
  if (columns < 1) Misfit(fmt::format("columns = {} must be at least 1", columns));
  return TensorType(RealShape(args, 0, attrs, columns), DType::kFloat32);
}

TypePtr DenseBlocksType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data", 2);
  TensorArg(args, 1, "weight", 2);
  if (data.shape[1] == kAnyDim) Misfit("the columns of data must be known");
  // A sum of a block's products stays below 2^31.
  constexpr int64_t kLongest = int64_t{1} << 16;
  if (QuantisesRows(attrs) && attrs.GetInt("block") > kLongest) {
    Misfit(fmt::format("block = {} is more than {}, which sums of bytes allow", attrs.GetInt("block"), kLongest));
  }
  return TensorType({data.shape[0], RealShape(args, 1, attrs, data.shape[1])[0]}, DType::kFloat32);
}

// The real weights of arguments from `first` on, rows x columns.
Tensor RealWeights(const Tensors& args, size_t first, const BlockFormat& format, int64_t columns) {
  const Tensor &words = args[first], &scales = args[first + 1];
  Shape shape = words.shape();
  shape.back() = columns;
  Tensor real(DType::kFloat32, shape);
  const int64_t blocks = format.Blocks(columns);
  for (int64_t i = 0; i < real.elements(); ++i) {
    const int64_t row = i / columns, column = i % columns, block = row * blocks + column / format.block;
    const int32_t integer = format.IntegerAt(words.data<int32_t>() + row * format.Words(columns), column);
    const int32_t zero = format.zeros ? args[first + 2].data<int8_t>()[block] : 0;
    real.data<float>()[i] = static_cast<float>(integer - zero) * scales.data<float>()[block];
  }
  return real;
}

Tensors Unpack(const Tensors& args, const Attrs& attrs) {
  return {RealWeights(args, 0, BlockFormatOf(attrs, args.size() > 2), attrs.GetInt("columns"))};
}

// The values that bytes stand for. Each block of a row has a step, its largest magnitude / 127. They are NaN in a block
// with a NaN or an infinity.
Tensor QuantisedRows(const Tensor& data, int64_t block) {
  const int64_t depth = data.shape()[1];
  Tensor result = data.Clone();
  for (int64_t i = 0; i < data.elements(); i += depth) {
    for (int64_t first = 0; first < depth; first += block) {
      float *x = result.data<float>() + i + first, *end = x + std::min(block, depth - first), largest = 0;
      for (const float* each = x; each < end; ++each) {
        largest = std::isfinite(*each) ? std::max(largest, std::fabs(*each)) : NAN;
        if (std::isnan(largest)) break;
      }
      const float factor = largest > 0 ? 127 / largest : 0, step = largest / 127;
      for (; x < end; ++x) *x = std::nearbyint(*x * factor) * step;
    }
  }
  return result;
}

Tensors DenseBlocks(const Tensors& args, const Attrs& attrs) {
  const int64_t rows = args[0].shape()[0], depth = args[0].shape()[1], units = args[1].shape()[0];
  const Tensor data = QuantisesRows(attrs) ? QuantisedRows(args[0], attrs.GetInt("block")) : args[0];
  const Tensor real = RealWeights(args, 1, BlockFormatOf(attrs, args.size() > 3), depth);
  Tensor result(DType::kFloat32, {rows, units});
  for (int64_t i = 0; i < result.elements(); ++i) {
    const float *x = data.data<float>() + i / units * depth, *w = real.data<float>() + i % units * depth;
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(w[k]);
    result.data<float>()[i] = static_cast<float>(sum);
  }
  return {result};
}

OpDef OfBlocks(std::string name, std::string description) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"weight", "(units, words): packed integers, the first in a word's lowest bits", DType::kInt32},
                {"scales", "(units, blocks)", DType::kFloat32},
                {"zeros", "(units, blocks): the integers that stand for 0", DType::kInt8}};
  def.optional_inputs = 1;
  def.results = {{"result", kKernelFloat}};
  def.attrs = {{"bits", AttrKind::kInt, int64_t{4}, "of one integer: 2, 4 or 8"},
               {"block", AttrKind::kInt, int64_t{0}, "neighbours along a row that share a scale; they fill words"}};
  return def;
}

}  // namespace

OpTable BlockOps() {
  OpDef unpack = OfBlocks("unpack_blocks", "(integer - zero) * scale of integers packed in blocks along the last axis");
  unpack.attrs.push_back({"columns", AttrKind::kInt, int64_t{0}, "integers in a row"});
  unpack.pattern = OpPattern::kInjective;
  unpack.type_relation = UnpackType;
  unpack.reference = Unpack;
  OpDef dense = OfBlocks("nn.dense_blocks", "data times the transpose of weights packed as by unpack_blocks");
  dense.inputs.insert(dense.inputs.begin(), {"data", "(rows, columns)", kKernelFloat});
  dense.attrs.push_back({"activations", AttrKind::kString, std::string("float32"),
                         "type in which data is multiplied: float32, or int8 with a step for each block"});
  dense.pattern = OpPattern::kAnchor;
  dense.traits.folds = Folds::kProducts;
  dense.type_relation = DenseBlocksType;
  dense.reference = DenseBlocks;
  return {unpack, dense};
}

}  // namespace hone::relay
