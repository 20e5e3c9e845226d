// Matrix products.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/matmul/op_products.h"
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

const AttrSpec kOutDtype{"out_dtype", AttrKind::kString, std::string(),
                         "of the result: int32 of bytes, else empty or float32"};

void RequireFit(int64_t a, int64_t b, const char* what) {
  if (!DimsFit(a, b)) Misfit(fmt::format("{}: {} against {}", what, a, b));
}

void CheckOutDtype(const Attrs& attrs) {
  const std::string dtype = attrs.GetString("out_dtype");
  if (!dtype.empty() && dtype != "float32") Misfit(fmt::format("out_dtype = \"{}\" must be float32", dtype));
}

void FillDenseWeight(Types& args, const Attrs& attrs) {
  const int64_t units = attrs.GetInt("units");
  if (args[1] != nullptr || args[0] == nullptr || args[0]->shape.size() != 2 || units < 1) return;
  const DType dtype = args[0]->dtype == DType::kUInt8 ? DType::kInt8 : args[0]->dtype;
  if (args[0]->shape[1] != kAnyDim) args[1] = TensorType({units, args[0]->shape[1]}, dtype);
}

bool IsOfBytes(DType dtype) { return dtype == DType::kUInt8 || dtype == DType::kInt8; }

// The type of sums: float32, for bytes int32.
DType SumDType(DType data, const Attrs& attrs) {
  if (!IsOfBytes(data)) {
    CheckOutDtype(attrs);
    return DType::kFloat32;
  }
  const std::string asked = attrs.GetString("out_dtype");
  if (asked != "int32") Misfit(fmt::format("out_dtype = \"{}\" of {} data must be int32", asked, DTypeName(data)));
  return DType::kInt32;
}

TypePtr DenseType(const Types& args, const Attrs& attrs) {
  const Type &data = RowMajorArg(args, 0, "data", 2), &weight = TensorArg(args, 1, "weight", 2);
  const DType sums = SumDType(data.dtype, attrs);
  RequireFit(data.shape[1], weight.shape[1], "columns of data and weight differ");
  const int64_t units = attrs.GetInt("units");
  if (units != 0) RequireFit(units, weight.shape[0], "units and rows of weight differ");
  return TensorType({data.shape[0], weight.shape[0]}, sums);
}

// The dot product of two strided rows of floats, in double.
double Dot(const float* a, int64_t a_step, const float* b, int64_t b_step, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(a[i * a_step]) * static_cast<double>(b[i * b_step]);
  return sum;
}

// The sum modulo 2^32.
int32_t ByteDot(const uint8_t* a, const int8_t* b, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += int64_t{a[i]} * b[i];
  return static_cast<int32_t>(static_cast<uint32_t>(sum));
}

Tensors ByteDense(const Tensor& data, const Tensor& weight) {
  const int64_t rows = data.shape()[0], depth = data.shape()[1], units = weight.shape()[0];
  Tensor result(DType::kInt32, {rows, units});
  for (int64_t i = 0; i < rows * units; ++i) {
    const uint8_t* row = data.data<uint8_t>() + i / units * depth;
    result.data<int32_t>()[i] = ByteDot(row, weight.data<int8_t>() + i % units * depth, depth);
  }
  return {result};
}

Tensors Dense(const Tensors& factors, const Attrs&) {
  if (factors[0].dtype() == DType::kUInt8) return ByteDense(factors[0], factors[1]);
  const Tensors args{factors[0].As(DType::kFloat32), factors[1].As(DType::kFloat32)};
  const int64_t rows = args[0].shape()[0];
  const int64_t depth = args[0].shape()[1];
  const int64_t units = args[1].shape()[0];
  Tensor result(DType::kFloat32, {rows, units});
  for (int64_t m = 0; m < rows; ++m) {
    for (int64_t n = 0; n < units; ++n) {
      const double sum = Dot(args[0].data<float>() + m * depth, 1, args[1].data<float>() + n * depth, 1, depth);
      result.data<float>()[m * units + n] = static_cast<float>(sum);
    }
  }
  return {result};
}

// A batch of matrices, seen as rows x depth whether or not it is stored transposed.
struct Matrices {
  int64_t batch, rows, depth, row_step, depth_step;

  static Matrices Of(const Shape& shape, bool depth_last) {
    if (depth_last) return {shape[0], shape[1], shape[2], shape[2], 1};
    return {shape[0], shape[2], shape[1], 1, shape[2]};
  }
  // The offset of matrix number `b`; a batch of one serves every b.
  int64_t Begin(int64_t b) const { return batch == 1 ? 0 : b * rows * depth; }
};

Matrices Left(const Shape& shape, const Attrs& attrs) { return Matrices::Of(shape, !attrs.GetBool("transpose_a")); }
Matrices Right(const Shape& shape, const Attrs& attrs) {
  return Matrices::Of(shape, attrs.GetBool("transpose_b", true));
}

TypePtr BatchMatmulType(const Types& args, const Attrs& attrs) {
  const DType sums = SumDType(RowMajorArg(args, 0, "tensor_a", 3).dtype, attrs);
  const bool of_bytes = sums == DType::kInt32;
  if (of_bytes != (args.size() > 2)) Misfit("zero_points are of bytes, and bytes have them");
  if (of_bytes) RequireFit(TensorArg(args, 2, "zero_points", 1).shape[0], 2, "zero points of tensor_a and tensor_b");
  const Matrices a = Left(RowMajorArg(args, 0, "tensor_a", 3).shape, attrs);
  const Matrices b = Right(RowMajorArg(args, 1, "tensor_b", 3).shape, attrs);
  RequireFit(a.depth, b.depth, "the inner dims differ");
  if (a.batch != 1 && b.batch != 1) RequireFit(a.batch, b.batch, "the batches differ");
  const int64_t batch = a.batch == 1 || a.batch == kAnyDim ? b.batch : a.batch;
  return TensorType({a.batch == kAnyDim && b.batch == 1 ? kAnyDim : batch, a.rows, b.rows}, sums);
}

// The byte at `at` of a tensor of uint8 or int8.
int64_t ByteAt(const Tensor& bytes, int64_t at) {
  return bytes.dtype() == DType::kInt8 ? int64_t{bytes.data<int8_t>()[at]} : int64_t{bytes.data<uint8_t>()[at]};
}

// Sums are modulo 2^32.
Tensors ByteBatchMatmul(const Tensors& args, const Attrs& attrs) {
  const Matrices a = Left(args[0].shape(), attrs), b = Right(args[1].shape(), attrs);
  const int32_t* zeros = args[2].data<int32_t>();
  Tensor result(DType::kInt32, {std::max(a.batch, b.batch), a.rows, b.rows});
  for (int64_t i = 0; i < result.elements(); ++i) {
    const int64_t batch = i / (a.rows * b.rows), m = i / b.rows % a.rows, n = i % b.rows;
    const int64_t row = a.Begin(batch) + m * a.row_step, column = b.Begin(batch) + n * b.row_step;
    uint64_t sum = 0;
    for (int64_t k = 0; k < a.depth; ++k) {
      const int64_t x = ByteAt(args[0], row + k * a.depth_step) - zeros[0];
      const int64_t w = ByteAt(args[1], column + k * b.depth_step) - zeros[1];
      sum += static_cast<uint64_t>(x) * static_cast<uint64_t>(w);
    }
    result.data<int32_t>()[i] = static_cast<int32_t>(static_cast<uint32_t>(sum));
  }
  return {result};
}

Tensors BatchMatmul(const Tensors& factors, const Attrs& attrs) {
  if (IsOfBytes(factors[0].dtype())) return ByteBatchMatmul(factors, attrs);
  const Tensors args{factors[0].As(DType::kFloat32), factors[1].As(DType::kFloat32)};
  const Matrices a = Left(args[0].shape(), attrs);
  const Matrices b = Right(args[1].shape(), attrs);
  Tensor result(DType::kFloat32, {std::max(a.batch, b.batch), a.rows, b.rows});
  float* to = result.data<float>();
  for (int64_t batch = 0; batch < result.shape()[0]; ++batch) {
    for (int64_t m = 0; m < a.rows; ++m) {
      const float* row = args[0].data<float>() + a.Begin(batch) + m * a.row_step;
      for (int64_t n = 0; n < b.rows; ++n) {
        const float* column = args[1].data<float>() + b.Begin(batch) + n * b.row_step;
        *to++ = static_cast<float>(Dot(row, a.depth_step, column, b.depth_step, a.depth));
      }
    }
  }
  return {result};
}

OpDef DenseOp() {
  OpDef def;
  def.name = "nn.dense";
  def.description = "data times the transpose of weight";
  constexpr DTypeSet kBFloat = DType::kBFloat16, kByte = DType::kUInt8;
  def.inputs = {
      {"data", "(rows, columns)", kFactors | kByte},
      {"weight", "(units, columns)",
       ElementRule::With(0, {{kKernelFloat, kFactors | DType::kFloat16}, {kBFloat, kFactors}, {kByte, DType::kInt8}})}};
  def.results = {{"result", ElementRule::With(0, {{kFactors, kKernelFloat}, {kByte, DType::kInt32}})}};
  def.attrs = {{"units", AttrKind::kInt, int64_t{0}, "rows of weight; 0 means as weight says"},
               kOutDtype,
               IntegralAttr(),
               LongSumsAttr(),
               KeepFloat32Attr()};
  def.support_level = 1;
  def.pattern = OpPattern::kAnchor;
  def.layout = LayoutRule::kAnchor;
  def.traits.folds = Folds::kProducts;
  def.type_relation = DenseType;
  def.fill_types = FillDenseWeight;
  def.reference = Dense;
  return def;
}

OpDef BatchMatmulOp() {
  OpDef def;
  def.name = "nn.batch_matmul";
  def.description = "matrix product of each pair of matrices of two batches";
  constexpr DTypeSet kByte{DType::kUInt8, DType::kInt8};
  def.inputs = {{"tensor_a", "(batch, m, k), or (batch, k, m) with transpose_a", kFactors | kByte},
                {"tensor_b", "(batch, n, k), or (batch, k, n) without transpose_b",
                 ElementRule::With(0, {{kFactors, kFactors}, {kByte, kByte}})},
                {"zero_points", "(2): the bytes of tensor_a and of tensor_b that stand for 0", DType::kInt32}};
  def.optional_inputs = 1;
  def.results = {{"result", ElementRule::With(0, {{kFactors, kKernelFloat}, {kByte, DType::kInt32}})}};
  def.attrs = {kOutDtype,
               {"transpose_a", AttrKind::kBool, false, "whether tensor_a is stored (batch, k, m)"},
               {"transpose_b", AttrKind::kBool, true, "whether tensor_b is stored (batch, n, k)"},
               IntegralAttr(),
               LongSumsAttr(),
               KeepFloat32Attr()};
  def.pattern = OpPattern::kAnchor;
  def.layout = LayoutRule::kNative;
  def.traits.folds = Folds::kProducts;
  def.type_relation = BatchMatmulType;
  def.reference = BatchMatmul;
  return def;
}

}  // namespace

OpTable MatmulOps() { return {DenseOp(), BatchMatmulOp()}; }

}  // namespace hone::relay
