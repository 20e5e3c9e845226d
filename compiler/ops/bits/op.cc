// Operators on the bits of integers.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"

namespace hone::relay {
namespace {

// A function of two integers of `width` bits, in the lowest of 64 bits; the result's bits above them are ignored. A
// shift's left operand is sign-extended.
using BitFunction = uint64_t (*)(uint64_t, uint64_t, int width);

TypePtr BitsType(const std::vector<TypePtr>& args, const Attrs&) {
  const Type &lhs = TensorArg(args, 0, "lhs"), &rhs = TensorArg(args, 1, "rhs");
  return BroadcastOf({&lhs, &rhs}, lhs.dtype);
}

template <typename T>
Tensor Combined(const Tensor& lhs, const Tensor& rhs, BitFunction function) {
  const Shape shape = BroadcastShapes(lhs.shape(), rhs.shape());
  OffsetWalk at_lhs = OffsetWalk::Broadcast(lhs.shape(), shape), at_rhs = OffsetWalk::Broadcast(rhs.shape(), shape);
  Tensor result(lhs.dtype(), shape);
  for (int64_t i = 0; i < result.elements(); ++i) {
    const auto a = static_cast<uint64_t>(static_cast<int64_t>(lhs.data<T>()[at_lhs.Next()]));
    const auto b = static_cast<uint64_t>(static_cast<int64_t>(rhs.data<T>()[at_rhs.Next()]));
    result.data<T>()[i] = static_cast<T>(function(a, b, static_cast<int>(8 * sizeof(T))));
  }
  return result;
}

Tensor CombinedBits(const Tensor& lhs, const Tensor& rhs, BitFunction function) {
  switch (lhs.dtype()) {
    case DType::kInt8:
      return Combined<int8_t>(lhs, rhs, function);
    case DType::kUInt8:
      return Combined<uint8_t>(lhs, rhs, function);
    case DType::kInt32:
      return Combined<int32_t>(lhs, rhs, function);
    default:
      return Combined<int64_t>(lhs, rhs, function);
  }
}

OpDef OnBits(std::string name, std::string description, BitFunction function) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"lhs", "left operand", kWhole}, {"rhs", "right operand", ElementRule::Like(0)}};
  def.support_level = 4;
  def.pattern = OpPattern::kBroadcast;
  def.layout = LayoutRule::kNCHWc;
  def.traits.cheap = true;
  def.type_relation = BitsType;
  def.reference = [function](const std::vector<Tensor>& args, const Attrs&) {
    return std::vector<Tensor>{CombinedBits(args[0], args[1], function)};
  };
  return def;
}

OpDef BitwiseNot() {
  OpDef def = OnBits("bitwise_not", "every bit of data turned over", nullptr);
  def.inputs = {{"data", "any shape", kWhole}};
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.type_relation = [](const std::vector<TypePtr>& args, const Attrs&) {
    TensorArg(args, 0, "data");
    return args[0];
  };
  def.reference = [](const std::vector<Tensor>& args, const Attrs&) {
    Tensor ones(args[0].dtype(), {});
    ones.Set(0, args[0].dtype() == DType::kUInt8 ? 255 : -1);
    return std::vector<Tensor>{
        CombinedBits(args[0], ones, [](uint64_t a, uint64_t b, int) -> uint64_t { return a ^ b; })};
  };
  return def;
}

uint64_t LeftShift(uint64_t a, uint64_t by, int width) { return by < static_cast<uint64_t>(width) ? a << by : 0; }

// A shift by the full width or more leaves the sign's bits; for unsigned integers these are zeros.
uint64_t RightShift(uint64_t a, uint64_t by, int width) {
  const uint64_t most = static_cast<uint64_t>(width) - 1;
  if (by > most) return static_cast<int64_t>(a) < 0 ? ~uint64_t{0} : 0;
  return static_cast<uint64_t>(static_cast<int64_t>(a) >> by);
}

// The types whose bits other operators can take for the other's.
constexpr DTypeSet kWords{DType::kFloat32, DType::kInt32};

TypePtr ReinterpretType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = TensorArg(args, 0, "data");
  const DType dtype = ParseDType(attrs.GetString("dtype"));
  if (!kWords.Has(dtype)) Misfit("dtype must be float32 or int32");
  return TensorType(data.shape, dtype, data.layout);
}

OpDef Reinterpret() {
  OpDef def;
  def.name = "reinterpret";
  def.description = "the bits of data as another type of the same size";
  def.inputs = {{"data", "any shape", kWords}};
  def.results = {{"result", kWords}};
  def.attrs = {{"dtype", AttrKind::kString, std::string("int32"), "type of the result: float32 or int32"}};
  def.support_level = 10;
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.traits.cheap = true;
  def.type_relation = ReinterpretType;
  def.reference = [](const std::vector<Tensor>& args, const Attrs& attrs) {
    Tensor result(ParseDType(attrs.GetString("dtype")), args[0].shape());
    std::memcpy(result.raw(), args[0].raw(), static_cast<size_t>(args[0].size_bytes()));
    return std::vector<Tensor>{result};
  };
  return def;
}

}  // namespace

OpTable BitOps() {
  using U = uint64_t;
  return {OnBits("bitwise_and", "bits that both have", [](U a, U b, int) -> U { return a & b; }),
          OnBits("bitwise_or", "bits that either has", [](U a, U b, int) -> U { return a | b; }),
          OnBits("bitwise_xor", "bits that one of the two has", [](U a, U b, int) -> U { return a ^ b; }),
          OnBits("left_shift", "lhs times 2 to the power of rhs; 0 from the width of the type on", LeftShift),
          OnBits("right_shift", "lhs divided by 2 to the power of rhs, towards minus infinity", RightShift),
          BitwiseNot(),
          Reinterpret()};
}

}  // namespace hone::relay
