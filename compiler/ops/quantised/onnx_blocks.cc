// Weights of 2, 4 or 8 bits with a scale for each block along the reduction, as ONNX Runtime's tools write them.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/narrow_types.h"
#include "compiler/ops/onnx_families.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

using relay::ExprPtr;

// `rows` lines of `columns` integers of `bits` bits. A line consists of blocks of `block` integers, the last of which
// may be partial; each block has a scale and a zero point. The first integer of a byte is in its lowest bits.
struct BlockFormat {
  int64_t rows = 0, columns = 0;
  int64_t bits = 4, block = 32;
  int64_t row_bytes = 0;  // of packed integers
  bool is_packed = true;  // false: integers of a type of 4 bits, one per element

  int64_t blocks() const { return CeilDiv(columns, block); }
};

int64_t PackedInteger(const uint8_t* bytes, int64_t index, int64_t bits) {
  const int64_t per_byte = 8 / bits;
  return (bytes[index / per_byte] >> (index % per_byte * bits)) & ((1 << bits) - 1);
}

const Tensor& KnownInput(const OnnxNodeView& view, int input, std::string_view what) {
  const Tensor* value = view.HasInput(input) ? view.InputValue(input) : nullptr;
  if (value == nullptr) RefuseNode(fmt::format("its {} must be known when the model is imported", what));
  return *value;
}

void RequireElements(const Tensor& tensor, int64_t elements, std::string_view what) {
  if (tensor.elements() == elements) return;
  RefuseNode(fmt::format("its {} are {}; {} elements are right", what, ShapeText(tensor.shape()), elements));
}

// Zero points by row and block: packed like the weights, each row beginning at a byte, or one per element. Without any
// they are the middle of the range of packed integers, and 0 of others.
class ZeroPoints {
 public:
  ZeroPoints(const OnnxNodeView& view, int input, const BlockFormat& format) : format_(format) {
    if (!view.HasInput(input)) return;
    values_ = KnownInput(view, input, "zero points");
    RequireElements(values_, format.rows * (IsPacked() ? RowBytes() : format.blocks()), "zero points");
  }

  double At(int64_t row, int64_t block) const {
    if (!values_.defined()) return format_.is_packed ? static_cast<double>(int64_t{1} << (format_.bits - 1)) : 0;
    if (!IsPacked()) return values_.At(row * format_.blocks() + block);
    return static_cast<double>(PackedInteger(values_.data<uint8_t>() + row * RowBytes(), block, format_.bits));
  }

 private:
  bool IsPacked() const { return format_.is_packed && values_.dtype() == DType::kUInt8; }
  int64_t RowBytes() const { return CeilDiv(format_.blocks() * format_.bits, 8); }

  BlockFormat format_;
  Tensor values_;
};

// The block of each column: the next `block` columns share one, or `g_idx` names it. Throws Error(kBadData).
std::vector<int64_t> BlocksOfColumns(const OnnxNodeView& view, int input, const BlockFormat& format) {
  const Tensor* given = input >= 0 && view.HasInput(input) ? &KnownInput(view, input, "g_idx") : nullptr;
  if (given != nullptr && given->elements() < format.columns) RequireElements(*given, format.columns, "g_idx");
  std::vector<int64_t> blocks;
  for (int64_t column = 0; column < format.columns; ++column) {
    blocks.push_back(given == nullptr ? column / format.block : static_cast<int64_t>(given->At(column)));
    if (blocks.back() < 0 || blocks.back() >= format.blocks()) {
      RefuseNode(fmt::format("g_idx holds {}; there are {} blocks", blocks.back(), format.blocks()));
    }
  }
  return blocks;
}

// The real weights, rows x columns. `weights`, `scales` and `zero_points` are numbers of inputs.
ExprPtr RealWeights(const OnnxNodeView& view, const BlockFormat& format, int weights, int scales, int zero_points,
                    int g_idx = -1) {
  const Tensor& given = KnownInput(view, weights, "weights");
  if (format.is_packed && given.dtype() != DType::kUInt8) {
    RefuseNode(fmt::format("its weights are {}", DTypeName(given.dtype())));
  }
  RequireElements(given, format.rows * (format.is_packed ? format.row_bytes : format.columns), "weights");
  const auto integer = [&](int64_t row, int64_t column) {
    if (!format.is_packed) return given.At(row * format.columns + column);
    return static_cast<double>(PackedInteger(given.data<uint8_t>() + row * format.row_bytes, column, format.bits));
  };
  const Tensor& scale = KnownInput(view, scales, "scales");
  RequireElements(scale, format.rows * format.blocks(), "scales");
  const ZeroPoints zeros(view, zero_points, format);
  view.builder().Spend(format.rows * format.columns * DTypeBytes(DType::kFloat32));
  Tensor real(DType::kFloat32, {format.rows, format.columns});
  if (g_idx >= 0 && view.HasInput(g_idx) && view.HasInput(zero_points)) {
    RefuseNode("g_idx beside zero points is not supported; without g_idx, or without zero points, it is");
  }
  const std::vector<int64_t> blocks = BlocksOfColumns(view, g_idx, format);
  for (int64_t row = 0; row < format.rows; ++row) {
    float* out = real.data<float>() + row * format.columns;
    for (int64_t column = 0; column < format.columns; ++column) {
      const int64_t block = blocks[static_cast<size_t>(column)];
      const double value = integer(row, column) - zeros.At(row, block);
      out[column] = static_cast<float>(value * scale.At(row * format.blocks() + block));
    }
  }
  return relay::MakeConstant(std::move(real), view.node().name);
}

// The largest extent that an attribute may give; products stay far from overflow.
constexpr int64_t kLargestMatrixSide = int64_t{1} << 30;

void CheckBits(int64_t bits, int64_t block) {
  if (bits != 2 && bits != 4 && bits != 8) RefuseNode(fmt::format("bits is {}; 2, 4 and 8 are supported", bits));
  if (block < 16 || block > kLargestMatrixSide || (block & (block - 1)) != 0) {
    RefuseNode(fmt::format("block_size is {}; powers of two from 16 to {} are right", block, kLargestMatrixSide));
  }
}

// Inputs: A, B (N x blocks x bytes), scales, zero points, the block of each column, bias.
std::vector<ExprPtr> MatMulNBits(const OnnxNodeView& view) {
  BlockFormat format{view.Int("N", 0), view.Int("K", 0), view.Int("bits", 4), view.Int("block_size", 0)};
  CheckBits(format.bits, format.block);
  if (std::min(format.rows, format.columns) < 1 || std::max(format.rows, format.columns) > kLargestMatrixSide) {
    RefuseNode(fmt::format("N is {}, K is {}; 1 to {} are right", format.rows, format.columns, kLargestMatrixSide));
  }
  if (view.Int("weight_prepacked", 0) != 0) RefuseNode("weight_prepacked is of one machine; use the file before it");
  format.row_bytes = format.blocks() * format.block * format.bits / 8;
  const ExprPtr weights = RealWeights(view, format, 1, 2, 3, 4);
  const ExprPtr columns = view.Call("transpose", {weights}, {{"axes", std::vector<int64_t>{1, 0}}});
  const ExprPtr product = Composed(view, "MatMul", {view.Input(0), columns});
  return {view.HasInput(5) ? view.Call("add", {product, view.Input(5)}) : product};
}

// Inputs: data, indices, scales, zero points. Rows of a table of int4, uint4 or packed bytes.
std::vector<ExprPtr> GatherBlockQuantized(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  const int64_t rank = view.InputRank(0), bits = view.Int("bits", 4), block = view.Int("block_size", 128);
  CheckBits(bits, block);
  if (rank != 2 || OnnxNodeView::Axis(view.Int("gather_axis", 0), rank) != 0 ||
      OnnxNodeView::Axis(view.Int("quantize_axis", 1), rank) != 1) {
    RefuseNode(fmt::format("a table of {}; rows of a matrix in blocks along them are supported", ShapeText(shape)));
  }
  const NarrowType* narrow = view.InputNarrow(0);
  if (narrow != nullptr && narrow->bits != bits) {
    RefuseNode(fmt::format("bits is {} for a table of {}", bits, narrow->name));
  }
  const bool is_packed = narrow == nullptr;
  const BlockFormat format{shape[0], is_packed ? shape[1] * (8 / bits) : shape[1], bits, block, shape[1], is_packed};
  return {Composed(view, "Gather", {RealWeights(view, format, 0, 2, 3), view.Input(1)})};
}

}  // namespace

OnnxOperatorTable BlockQuantisedOperators() {
  return {
      {"MatMulNBits",
       3,
       6,
       MatMulNBits,
       {"K", "N", "accuracy_level", "bits", "block_size", "weight_prepacked"},
       {.takes_counts = true},
       kMicrosoft},
      {"GatherBlockQuantized",
       3,
       4,
       GatherBlockQuantized,
       {"bits", "block_size", "gather_axis", "quantize_axis"},
       {},
       kMicrosoft},
  };
}

}  // namespace hone
