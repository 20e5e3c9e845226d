// Weights of 2, 4 or 8 bits with a scale for each block along the reduction, as ONNX Runtime's tools write them. They
// stay packed (core/block_format.h), unless their zero points are fractions or their blocks are no neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/narrow_types.h"
#include "compiler/ops/matmul/op_blocks.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/quantised/onnx.h"
#include "core/block_format.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

using relay::ExprPtr;

// `rows` lines of `columns` integers of `bits` bits. A line consists of blocks of `block` integers, the last of which
// may be partial; each block has a scale and a zero point. The first integer of a byte is in its lowest bits.
struct OnnxBlocks {
  int64_t rows = 0, columns = 0;
  int64_t bits = 4, block = 32;
  int64_t row_bytes = 0;   // of packed integers
  bool is_packed = true;   // false: integers of a type of 4 or 8 bits, one per element
  bool is_signed = false;  // of integers of a type

  int64_t blocks() const { return CeilDiv(columns, block); }
  // The integer in the middle of the range.
  int64_t middle() const { return is_signed ? 0 : int64_t{1} << (bits - 1); }
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
  ZeroPoints(const OnnxNodeView& view, int input, const OnnxBlocks& format) : format_(format) {
    if (!view.HasInput(input)) return;
    values_ = KnownInput(view, input, "zero points");
    RequireElements(values_, format.rows * (IsPacked() ? RowBytes() : format.blocks()), "zero points");
  }

  double At(int64_t row, int64_t block) const {
    if (!values_.defined()) return format_.is_packed ? static_cast<double>(format_.middle()) : 0;
    if (!IsPacked()) return values_.At(row * format_.blocks() + block);
    return static_cast<double>(PackedInteger(values_.data<uint8_t>() + row * RowBytes(), block, format_.bits));
  }

 private:
  bool IsPacked() const { return format_.is_packed && values_.dtype() == DType::kUInt8; }
  int64_t RowBytes() const { return CeilDiv(format_.blocks() * format_.bits, 8); }

  OnnxBlocks format_;
  Tensor values_;
};

// The block of each column: the next `block` columns share one, or `g_idx` names it. Throws Error(kBadData).
std::vector<int64_t> BlocksOfColumns(const OnnxNodeView& view, int input, const OnnxBlocks& format) {
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

// Numbers of a node's inputs.
struct BlockInputs {
  int weights, scales, zero_points, g_idx = -1;
};

// The weights of a node, checked, with their scales and zero points.
class BlockReader {
 public:
  BlockReader(const OnnxNodeView& view, const OnnxBlocks& format, const BlockInputs& inputs)
      : view_(view),
        format_(format),
        inputs_(inputs),
        weights_(KnownInput(view, inputs.weights, "weights")),
        scales_(KnownInput(view, inputs.scales, "scales")),
        zeros_(view, inputs.zero_points, format) {
    if (format.is_packed && weights_.dtype() != DType::kUInt8) {
      RefuseNode(fmt::format("its weights are {}", DTypeName(weights_.dtype())));
    }
    RequireElements(weights_, format.rows * (format.is_packed ? format.row_bytes : format.columns), "weights");
    RequireElements(scales_, format.rows * format.blocks(), "scales");
  }

  // The arguments of unpack_blocks, all constants; empty if these weights have no such form.
  std::vector<ExprPtr> Packed() const {
    const auto zeros = StoredZeros();
    if (inputs_.g_idx >= 0 && view_.HasInput(inputs_.g_idx)) return {};
    if (!zeros || format_.block % Stored().per_word() != 0) return {};
    Tensor words(DType::kInt32, {format_.rows, Stored().Words(format_.columns)});
    for (int64_t row = 0; row < format_.rows; ++row) {
      int32_t* to = words.data<int32_t>() + row * words.shape()[1];
      for (int64_t column = 0; column < format_.columns; ++column) {
        Stored().SetInteger(to, column, static_cast<int32_t>(Integer(row, column) - format_.middle()));
      }
    }
    const std::string& name = view_.node().name;
    const Tensor scales = scales_.As(DType::kFloat32).Reshaped({format_.rows, format_.blocks()});
    std::vector<ExprPtr> args{relay::MakeConstant(std::move(words), name), relay::MakeConstant(scales, name)};
    if (zeros->defined()) args.push_back(relay::MakeConstant(*zeros, name));
    return args;
  }

  // rows x columns.
  ExprPtr Real() const {
    if (inputs_.g_idx >= 0 && view_.HasInput(inputs_.g_idx) && view_.HasInput(inputs_.zero_points)) {
      RefuseNode("g_idx beside zero points is not supported; without g_idx, or without zero points, it is");
    }
    view_.builder().Spend(format_.rows * format_.columns * DTypeBytes(DType::kFloat32));
    Tensor real(DType::kFloat32, {format_.rows, format_.columns});
    const std::vector<int64_t> blocks = BlocksOfColumns(view_, inputs_.g_idx, format_);
    for (int64_t row = 0; row < format_.rows; ++row) {
      float* out = real.data<float>() + row * format_.columns;
      for (int64_t column = 0; column < format_.columns; ++column) {
        const int64_t block = blocks[static_cast<size_t>(column)];
        const double value = static_cast<double>(Integer(row, column)) - zeros_.At(row, block);
        out[column] = static_cast<float>(value * scales_.At(row * format_.blocks() + block));
      }
    }
    return relay::MakeConstant(std::move(real), view_.node().name);
  }

  BlockFormat Stored() const { return {format_.bits, format_.block}; }

 private:
  int64_t Integer(int64_t row, int64_t column) const {
    if (!format_.is_packed) return static_cast<int64_t>(weights_.At(row * format_.columns + column));
    return PackedInteger(weights_.data<uint8_t>() + row * format_.row_bytes, column, format_.bits);
  }

  // Undefined if all are 0, as stored; nullopt if one is a fraction or far from the integers.
  std::optional<Tensor> StoredZeros() const {
    Tensor zeros(DType::kInt8, {format_.rows, format_.blocks()});
    bool any = false;
    for (int64_t i = 0; i < zeros.elements(); ++i) {
      const double zero = zeros_.At(i / format_.blocks(), i % format_.blocks()) - static_cast<double>(format_.middle());
      if (zero != std::trunc(zero) || zero < -128 || zero > 127) return std::nullopt;
      zeros.data<int8_t>()[i] = static_cast<int8_t>(zero);
      any = any || zero != 0;
    }
    return any ? zeros : Tensor();
  }

  const OnnxNodeView& view_;
  const OnnxBlocks& format_;
  const BlockInputs& inputs_;
  const Tensor &weights_, &scales_;
  ZeroPoints zeros_;
};

// The real weights of unpack_blocks' arguments.
ExprPtr Unpacked(const OnnxNodeView& view, const BlockFormat& format, std::vector<ExprPtr> args, int64_t columns) {
  relay::Attrs attrs = relay::BlockAttrs(format);
  attrs.Set("columns", columns);
  return view.builder().Unfolded("unpack_blocks", std::move(args), std::move(attrs));
}

// The weights, rows x columns: packed constants that are unpacked, or real ones.
ExprPtr BlockedWeights(const OnnxNodeView& view, const OnnxBlocks& format, const BlockInputs& inputs) {
  const BlockReader reader(view, format, inputs);
  std::vector<ExprPtr> args = reader.Packed();
  return args.empty() ? reader.Real() : Unpacked(view, reader.Stored(), std::move(args), format.columns);
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
  OnnxBlocks format{view.Int("N", 0), view.Int("K", 0), view.Int("bits", 4), view.Int("block_size", 0)};
  CheckBits(format.bits, format.block);
  if (std::min(format.rows, format.columns) < 1 || std::max(format.rows, format.columns) > kLargestMatrixSide) {
    RefuseNode(fmt::format("N is {}, K is {}; 1 to {} are right", format.rows, format.columns, kLargestMatrixSide));
  }
  if (view.Int("weight_prepacked", 0) != 0) RefuseNode("weight_prepacked is of one machine; use the file before it");
  format.row_bytes = format.blocks() * format.block * format.bits / 8;
  const ExprPtr weights = BlockedWeights(view, format, {1, 2, 3, 4});
  const ExprPtr columns = view.Call("transpose", {weights}, {{"axes", std::vector<int64_t>{1, 0}}});
  const ExprPtr product = Composed(view, "MatMul", {view.Input(0), columns});
  return {view.HasInput(5) ? view.Call("add", {product, view.Input(5)}) : product};
}

// Inputs: data, indices, scales, zero points. Rows of a table of int4, uint4 or packed bytes. The table stays packed:
// its rows are unpacked once they are gathered.
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
  const int64_t columns = is_packed ? shape[1] * (8 / bits) : shape[1];
  const bool is_signed = !is_packed && narrow->kind == NarrowType::Kind::kSigned;
  const OnnxBlocks format{shape[0], columns, bits, block, shape[1], is_packed, is_signed};
  const BlockInputs inputs{0, 2, 3};
  const BlockReader reader(view, format, inputs);
  std::vector<ExprPtr> args = reader.Packed();
  const auto gathered = [&](const ExprPtr& table) { return Composed(view, "Gather", {table, view.Input(1)}); };
  if (args.empty()) return {gathered(reader.Real())};
  for (ExprPtr& arg : args) arg = gathered(arg);
  return {Unpacked(view, reader.Stored(), std::move(args), columns)};
}

}  // namespace

ExprPtr DequantisedBlocks(const OnnxNodeView& view) {
  const NarrowType* narrow = view.InputNarrow(0);
  const Tensor* integers = view.InputValue(0);
  const int64_t block = view.Int("block_size", 0);
  const bool bytes = integers != nullptr && (integers->dtype() == DType::kInt8 || integers->dtype() == DType::kUInt8);
  if (!bytes || view.InputRank(0) != 2 || block < 1 || view.InputValue(1) == nullptr) return nullptr;
  if (narrow != nullptr && narrow->is_real()) return nullptr;
  if (view.HasInput(2) && view.InputValue(2) == nullptr) return nullptr;
  RequireScales(view, {1}, true);
  const bool along_rows = OnnxNodeView::Axis(view.Int("axis", 1), 2) == 1;
  const auto rows_of = [&](int input) {
    if (!view.HasInput(input)) return ExprPtr();
    return along_rows ? view.Input(input)
                      : view.Call("transpose", {view.Input(input)}, {{"axes", std::vector<int64_t>{1, 0}}});
  };
  const OnnxNodeView turned = view.Of(view.node(), {rows_of(0), rows_of(1), rows_of(2)});
  const Shape& shape = turned.InputShape(0);
  const bool is_signed =
      narrow != nullptr ? narrow->kind == NarrowType::Kind::kSigned : integers->dtype() == DType::kInt8;
  const OnnxBlocks format{shape[0], shape[1], narrow != nullptr ? narrow->bits : 8, block, 0, false, is_signed};
  if (turned.InputShape(1) != Shape{shape[0], format.blocks()}) return nullptr;
  const BlockInputs inputs{0, 1, 2};
  const BlockReader reader(turned, format, inputs);
  std::vector<ExprPtr> args = reader.Packed();
  if (args.empty()) return nullptr;
  const ExprPtr real = Unpacked(view, reader.Stored(), std::move(args), shape[1]);
  return along_rows ? real : view.Call("transpose", {real}, {{"axes", std::vector<int64_t>{1, 0}}});
}

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
       {.becomes = "less take unpack_blocks where", .takes_counts = true},
       kMicrosoft},
  };
}

}  // namespace hone
