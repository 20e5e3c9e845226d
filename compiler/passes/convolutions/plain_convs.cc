#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/ops/matmul/op_products.h"
#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Weights are high * kBase + low, both digits in [-kBase / 2, kBase / 2].
constexpr double kBase = 16;
constexpr double kLargestWeight = 128;
constexpr std::string_view kPlainLayout = "NCHW";

struct ByteRange {
  double low, high;
};
ByteRange ByteRangeOf(DType byte) { return byte == DType::kInt8 ? ByteRange{-128, 127} : ByteRange{0, 255}; }

ExprPtr Cast(const ExprPtr& expr, DType dtype) { return expr->type->dtype == dtype ? expr : TypedCast(expr, dtype); }

ExprPtr Binary(const char* op, const ExprPtr& a, double b, DType dtype) {
  Tensor scalar(dtype, {});
  scalar.Set(0, b);
  return TypedCall(op, {a, relay::MakeConstant(scalar)});
}

// The operands in the plain order of axes, and the attributes of a plain convolution of them.
struct Operands {
  ExprPtr x, w;
  relay::Attrs attrs;
};

ExprPtr FloatProduct(const Operands& of, const ExprPtr& w, bool integral) {
  relay::Attrs attrs = of.attrs;
  if (integral) attrs.Set("integral", true);
  return TypedCall("nn.conv2d", {Cast(of.x, DType::kFloat32), Cast(w, DType::kFloat32)}, attrs);
}

int64_t ProductsPerSum(const Operands& of) {
  const Shape& shape = ShapeOf(of.w);
  return shape[1] * shape[2] * shape[3];
}

// Upper bound of each partial sum of products of the data's bytes with weights of magnitude up to `weight`.
double LargestSum(const Operands& of, double weight) {
  const ByteRange range = ByteRangeOf(of.x->type->dtype);
  return static_cast<double>(ProductsPerSum(of)) * std::max(-range.low, range.high) * weight;
}
double LargestSum(const Operands& of) {
  const relay::Constant* weight = relay::AsConstant(of.w);
  if (weight == nullptr) return LargestSum(of, kLargestWeight);
  const ByteRange range = ByteRangeOf(of.x->type->dtype);
  return relay::LargestPartialSum(weight->value, range.low, range.high);
}

// Whether kernels of bytes can sum it in int32.
bool IsByteSum(const Operands& of) {
  constexpr double kLargestInt32 = 2147483647;
  constexpr int64_t kFour = 4;
  const relay::Constant* weight = relay::AsConstant(of.w);
  if (of.attrs.GetInt("groups", 1) != 1 && ShapeOf(of.w)[1] % kFour != 0) return false;
  if (weight == nullptr || of.x->type->dtype != DType::kUInt8 || weight->value.dtype() != DType::kInt8) return false;
  return relay::LargestPartialSum(weight->value, 0, kLargestByte) <= kLargestInt32;
}

// Whether kernels of bytes can sum it and float32 cannot sum it exactly.
bool IsLongByteSum(const Operands& of) {
  return of.attrs.GetInt("groups", 1) == 1 && IsByteSum(of) && LargestSum(of) > relay::kLargestExact;
}

ExprPtr ProductOfBytes(const Operands& of) {
  relay::Attrs attrs = of.attrs;
  attrs.Set("integral", true);
  attrs.Set("out_dtype", std::string(DTypeName(DType::kInt32)));
  return TypedCall("nn.conv2d", {of.x, of.w}, attrs);
}

ExprPtr ExactProduct(const Operands& of, const std::string& name) {
  if (IsLongByteSum(of)) return ProductOfBytes(of);
  if (LargestSum(of) <= relay::kLargestExact) return Cast(FloatProduct(of, of.w, true), DType::kInt32);
  if (LargestSum(of, kBase / 2) > relay::kLargestExact) {
    throw Error(ExitCode::kBadData,
                fmt::format("node {}: a sum of {} products of {} may not be exact, up to {} are",
                            name.empty() ? "nn.conv2d" : name, ProductsPerSum(of), DTypeName(of.x->type->dtype),
                            std::floor(relay::kLargestExact / LargestSum(of, kBase / 2) *
                                       static_cast<double>(ProductsPerSum(of)))));
  }
  const ExprPtr w = Cast(of.w, DType::kFloat32);
  const ExprPtr high = TypedCall("round", {Binary("multiply", w, 1 / kBase, DType::kFloat32)});
  const ExprPtr low = TypedCall("subtract", {w, Binary("multiply", high, kBase, DType::kFloat32)});
  const ExprPtr sum = Cast(FloatProduct(of, high, true), DType::kInt32);
  return TypedCall("add",
                   {Binary("multiply", sum, kBase, DType::kInt32), Cast(FloatProduct(of, low, true), DType::kInt32)});
}

ExprPtr PlainConv(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr) return nullptr;
  const relay::ConvLayouts layouts = relay::ConvLayoutsOf(conv->attrs);
  const DType data = conv->args[0]->type->dtype;
  const bool bytes = data == DType::kInt8 || data == DType::kUInt8, halves = data == DType::kFloat16;
  const bool plain_axes = layouts == relay::ConvLayouts();
  if (plain_axes && !bytes && !halves) return nullptr;
  const bool made = conv->attrs.GetBool("integral") && IsByteSum({conv->args[0], conv->args[1], conv->attrs});
  if (plain_axes && made) return nullptr;
  Operands of{Transposed(conv->args[0], relay::LayoutAxes(layouts.data, "NCHW")),
              Transposed(conv->args[1], relay::LayoutAxes(layouts.kernel, "OIHW")), conv->attrs};
  const relay::ConvLayouts usual;
  of.attrs.Set("data_layout", usual.data);
  of.attrs.Set("kernel_layout", usual.kernel);
  for (const char* attr : {"out_layout", "out_dtype"}) of.attrs.Set(attr, std::string());
  const ExprPtr plain = bytes ? ExactProduct(of, conv->name) : Cast(FloatProduct(of, of.w, false), conv->type->dtype);
  return Transposed(plain, relay::LayoutAxes("NCHW", layouts.out), conv->name);
}

ExprPtr PlainPool(const ExprPtr& node, const Uses&) {
  for (const char* name : {"nn.max_pool2d", "nn.avg_pool2d", "nn.global_max_pool2d", "nn.global_avg_pool2d"}) {
    const Call* pool = relay::AsCallTo(node, name);
    if (pool == nullptr) continue;
    const std::string layout = relay::PoolLayoutOf(pool->attrs);
    if (layout == kPlainLayout) return nullptr;
    relay::Attrs attrs = pool->attrs;
    attrs.Set("layout", std::string(kPlainLayout));
    const ExprPtr plain = TypedCall(name, {Transposed(pool->args[0], relay::LayoutAxes(layout, kPlainLayout))}, attrs);
    return Transposed(plain, relay::LayoutAxes(kPlainLayout, layout), pool->name);
  }
  return nullptr;
}

}  // namespace

relay::IRModule PlainConvs(const relay::IRModule& module) { return RewriteByRules(module, {PlainConv, PlainPool}); }

}  // namespace hone
