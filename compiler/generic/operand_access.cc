#include "compiler/generic/operand_access.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "compiler/codegen/gather.h"
#include "compiler/generic/memory_shape.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

bool HasMaskedAccess(const MachineModel& machine) {
  constexpr int kLanes = 16;  // AVX-512, and RISC-V vectors of 512 bits
  return machine.vector_lanes == kLanes;
}

Coordinate At(Value* base) { return {base}; }
Coordinate At(KernelBuilder& b, int64_t position) { return {b.Index(position)}; }

Coordinate Shifted(KernelBuilder& b, const Coordinate& c, int64_t by) {
  Coordinate moved{b.Add(c.base, by), c.step};
  moved.places = c.places;
  if (c.block > 0 && by % c.block == 0) {
    moved.block = c.block;
    moved.block_index = b.Add(c.block_index, by / c.block);
  }
  return moved;
}

namespace {

Value* TimesPlaces(KernelBuilder& b, Value* places, int64_t factor) {
  if (factor == 1) return places;
  return b.ir().CreateMul(places, llvm::ConstantInt::getSigned(places->getType(), factor));
}

}  // namespace

Coordinate Scaled(KernelBuilder& b, const Coordinate& c, int64_t factor) {
  if (factor == 1) return c;
  Coordinate scaled{b.Mul(c.base, factor), c.step * factor};
  if (c.places != nullptr) scaled = {scaled.base, 1, nullptr, 0, TimesPlaces(b, c.places, factor)};
  return scaled;
}

Coordinate LaneOf(KernelBuilder& b, const Coordinate& c, int lane) {
  if (c.places != nullptr) {
    Value* place = b.ir().CreateExtractElement(c.places, static_cast<uint64_t>(lane));
    return {b.Add(c.base, b.ir().CreateSExt(place, b.i64()))};
  }
  return c.step == 0 ? c : Coordinate{b.Add(c.base, lane * c.step)};
}

Coordinates LanesOf(KernelBuilder& b, const Coordinates& c, int lane) {
  Coordinates result;
  for (const Coordinate& one : c) result.push_back(LaneOf(b, one, lane));
  return result;
}

bool Varies(const Coordinates& c) {
  return std::any_of(c.begin(), c.end(), [](const Coordinate& one) { return one.step != 0; });
}

namespace {

// Largest lane stride for which one wide load and a shuffle beat a load per lane.
constexpr int64_t kWidestStride = 4;

struct Location {
  Value* bytes = nullptr;   // offset of lane 0
  int64_t lane_stride = 0;  // elements from one lane to the next
  Value* places = nullptr;  // elements from lane 0 to each lane, beside the stride; null if they are all 0
};

// The position of lane 0 along a physical axis, and the lanes' step there; nullopt if the lanes cross blocks unevenly.
struct AxisPosition {
  Value* index;
  int64_t step;
  Value* places = nullptr;
};
std::optional<AxisPosition> Along(KernelBuilder& b, const MemoryShape::Axis& axis, const Coordinate& c) {
  const int64_t block = axis.block > 0 ? axis.block : axis.outer_block;
  if (block == 0) return AxisPosition{c.base, c.places != nullptr ? 0 : c.step, c.places};
  if (c.places != nullptr) return std::nullopt;
  if (c.block == block) {
    return axis.block > 0 ? AxisPosition{b.Index(0), c.step} : AxisPosition{c.block_index, 0};
  }
  if (c.step != 0 && !(c.block > 0 && block % c.block == 0)) return std::nullopt;
  if (axis.block > 0) return AxisPosition{b.Mod(c.base, block), c.step};
  return AxisPosition{b.Div(c.base, block), 0};
}

std::optional<Location> Locate(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at) {
  const int64_t element = DTypeBytes(operand.dtype);
  Location where{b.Index(0)};
  const MemoryShape shape = MemoryShapeOf(operand.shape, operand.layout);
  for (const MemoryShape::Axis& axis : shape.axes) {
    const auto position = Along(b, axis, at[axis.logical]);
    if (!position) return std::nullopt;
    const bool is_apart = operand.batch_stride && &axis == &shape.axes.front();
    if (is_apart && (position->step != 0 || position->places != nullptr)) return std::nullopt;
    Value* step =
        is_apart ? b.Mul(position->index, operand.batch_stride) : b.Mul(position->index, axis.stride * element);
    where.bytes = b.Add(where.bytes, step);
    where.lane_stride += position->step * axis.stride;
    if (position->places == nullptr) continue;
    Value* places = TimesPlaces(b, position->places, axis.stride);
    where.places = where.places == nullptr ? places : b.ir().CreateAdd(where.places, places);
  }
  return where;
}

// The first `valid` lanes of a value widened to `count` lanes.
Value* Widened(KernelBuilder& b, Value* value, const std::vector<int>& mask) {
  return b.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(mask));
}

// Whether the valid lanes are best read or written with a mask. Without one, they take an access for each power of two
// in their number.
bool WantsMask(KernelBuilder& b, llvm::Type* element, Lanes lanes) {
  constexpr int64_t kLeastBits = 128;  // of a vector
  return HasMaskedAccess(b.machine()) && lanes.count * int64_t{element->getScalarSizeInBits()} >= kLeastBits &&
         !std::has_single_bit(static_cast<unsigned>(lanes.valid));
}
Value* ValidMask(KernelBuilder& b, Lanes lanes) {
  std::vector<llvm::Constant*> bits;
  for (int l = 0; l < lanes.count; ++l) bits.push_back(b.ir().getInt1(l < lanes.valid));
  return llvm::ConstantVector::get(bits);
}
llvm::Align AlignOf(llvm::Type* element) { return llvm::Align(std::max(1U, element->getScalarSizeInBits() / 8)); }

Value* LoadStrided(KernelBuilder& b, llvm::Type* element, Value* ptr, int64_t stride, Lanes lanes) {
  const int64_t span = (lanes.valid - 1) * stride + 1;
  if (stride == 1 && span < lanes.count && WantsMask(b, element, lanes)) {
    return b.ir().CreateMaskedLoad(VectorOf(element, lanes.count), ptr, AlignOf(element), ValidMask(b, lanes));
  }
  // Without a mask, code generation would read such a span in pieces.
  const Lanes read{static_cast<int>(std::bit_ceil(static_cast<uint64_t>(span))), static_cast<int>(span)};
  Value* wide = stride > 1 && WantsMask(b, element, read)
                    ? b.ir().CreateMaskedLoad(VectorOf(element, read.count), ptr, AlignOf(element), ValidMask(b, read))
                    : b.LoadAs(VectorOf(element, read.valid), ptr);
  if (span == 1) return b.Splat(wide, lanes.count);
  if (stride == 1 && span == lanes.count) return wide;
  std::vector<int> mask(static_cast<size_t>(lanes.count), llvm::PoisonMaskElem);
  for (int l = 0; l < lanes.valid; ++l) Nth(mask, l) = static_cast<int>(l * stride);
  return Widened(b, wide, mask);
}

// Elements from lane 0 to each lane, by stride and places.
Value* LanePlaces(KernelBuilder& b, const Location& where, Lanes lanes) {
  if (where.lane_stride == 0) return where.places;
  std::vector<uint32_t> steps;
  for (int l = 0; l < lanes.count; ++l) steps.push_back(static_cast<uint32_t>(l * where.lane_stride));
  Value* by_stride = llvm::ConstantDataVector::get(b.context(), steps);
  return where.places == nullptr ? by_stride : b.ir().CreateAdd(where.places, by_stride);
}

Value* LoadPlaces(KernelBuilder& b, llvm::Type* element, Value* ptr, Value* places, Lanes lanes) {
  if (GathersPay(b, element, lanes.count)) return GatherElements(b, element, ptr, places, lanes.valid);
  auto& ir = b.ir();
  Value* result = llvm::Constant::getNullValue(VectorOf(element, lanes.count));
  for (int l = 0; l < lanes.valid; ++l) {
    const auto lane = static_cast<uint64_t>(l);
    Value* at = ir.CreateGEP(element, ptr, ir.CreateSExt(ir.CreateExtractElement(places, lane), b.i64()));
    result = ir.CreateInsertElement(result, b.LoadAs(element, at), lane);
  }
  return result;
}

Value* LoadAt(KernelBuilder& b, const OperandAccess& operand, const Location& where, Lanes lanes) {
  llvm::Type* element = ElementType(b, operand.dtype);
  Value* ptr = b.At(operand.base, where.bytes);
  if (lanes.count == 1) return b.LoadAs(element, ptr);
  if (where.places != nullptr) return LoadPlaces(b, element, ptr, LanePlaces(b, where, lanes), lanes);
  if (where.lane_stride == 0) return b.Splat(b.LoadAs(element, ptr), lanes.count);
  if (where.lane_stride > 0 && where.lane_stride <= kWidestStride) {
    return LoadStrided(b, element, ptr, where.lane_stride, lanes);
  }
  const bool near = where.lane_stride * lanes.count <= INT32_MAX && where.lane_stride > 0;
  if (near && GathersPay(b, element, lanes.count)) {
    return GatherElements(b, element, ptr, LanePlaces(b, where, lanes), lanes.valid);
  }
  const int64_t apart = where.lane_stride * DTypeBytes(operand.dtype);
  Value* result = llvm::Constant::getNullValue(VectorOf(element, lanes.count));
  for (int l = 0; l < lanes.valid; ++l) {
    Value* one = b.LoadAs(element, b.At(ptr, l * apart));
    result = b.ir().CreateInsertElement(result, one, static_cast<uint64_t>(l));
  }
  return result;
}

// Loads lanes over two of the operand's smaller blocks as two vectors of half the lanes, and joins them. Null if the
// lanes are not such.
Value* LoadHalves(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes) {
  const int half = lanes.count / 2;
  if (lanes.count % 2 != 0 || operand.layout.empty() || lanes.valid != lanes.count) return nullptr;
  Coordinates low = at, high = at;
  for (size_t d = 0; d < at.size(); ++d) {
    if (at[d].step == 0) continue;
    if (at[d].step != 1 || at[d].block != lanes.count) return nullptr;
    Value* index = b.Mul(at[d].block_index, 2);
    low[d] = {at[d].base, 1, index, half};
    high[d] = {b.Add(at[d].base, half), 1, b.Add(index, 1), half};
  }
  if (half < 2 || !Locate(b, operand, low)) return nullptr;
  Value* first = LoadOperand(b, operand, low, {half, half});
  Value* second = LoadOperand(b, operand, high, {half, half});
  std::vector<int> all(static_cast<size_t>(lanes.count));
  std::iota(all.begin(), all.end(), 0);
  return b.ir().CreateShuffleVector(first, second, llvm::ArrayRef<int>(all));
}

}  // namespace

Value* AddressOf(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at) {
  const auto where = Locate(b, operand, at);
  if (!where) throw Error(ExitCode::kBug, "lanes that cross blocks have no address");
  return b.At(operand.base, where->bytes);
}

Value* LoadOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes) {
  if (const auto where = Locate(b, operand, at)) return LoadAt(b, operand, *where, lanes);
  if (Value* halves = LoadHalves(b, operand, at, lanes)) return halves;
  Value* result = llvm::Constant::getNullValue(VectorOf(ElementType(b, operand.dtype), lanes.count));
  for (int l = 0; l < lanes.valid; ++l) {
    Value* one = LoadOperand(b, operand, LanesOf(b, at, l), kScalar);
    result = b.ir().CreateInsertElement(result, one, static_cast<uint64_t>(l));
  }
  return result;
}

Value* LoadFlat(KernelBuilder& b, const OperandAccess& operand, const Coordinate& at, Lanes lanes) {
  return LoadAt(b, operand, {b.Mul(at.base, DTypeBytes(operand.dtype)), at.step}, lanes);
}

Value* ZeroPast(KernelBuilder& b, Value* value, int valid) {
  auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
  const int count = static_cast<int>(type->getNumElements());
  if (valid >= count) return value;
  std::vector<int> mask(static_cast<size_t>(count));
  for (int l = 0; l < count; ++l) Nth(mask, l) = l < valid ? l : count;
  return b.ir().CreateShuffleVector(value, llvm::Constant::getNullValue(type), llvm::ArrayRef<int>(mask));
}

void StoreOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes, Value* value) {
  const auto where = Locate(b, operand, at);
  if (!where || (lanes.count > 1 && where->lane_stride != 1)) {
    throw Error(ExitCode::kBug, "a generic kernel writes lanes that are not neighbours");
  }
  Value* ptr = b.At(operand.base, where->bytes);
  const bool blocked = !operand.layout.empty() && operand.layout.axes().back().block > 0;
  if (lanes.valid == lanes.count) return b.Store(value, ptr);
  if (blocked) return b.Store(ZeroPast(b, value, lanes.valid), ptr);
  if (lanes.valid == 1) return b.Store(b.ir().CreateExtractElement(value, uint64_t{0}), ptr);
  if (WantsMask(b, value->getType(), lanes)) {
    b.ir().CreateMaskedStore(value, ptr, AlignOf(value->getType()), ValidMask(b, lanes));
    return;
  }
  std::vector<int> prefix(static_cast<size_t>(lanes.valid));
  std::iota(prefix.begin(), prefix.end(), 0);
  b.Store(Widened(b, value, prefix), ptr);
}

Value* SafeIndex(KernelBuilder& b, Value* index, int64_t extent) {
  auto& ir = b.ir();
  Value* wide =
      index->getType()->isFloatingPointTy() ? ir.CreateFPToSI(index, b.i64()) : ir.CreateSExtOrTrunc(index, b.i64());
  Value* forward = ir.CreateSelect(ir.CreateICmpSLT(wide, b.Index(0)), b.Add(wide, extent), wide);
  return b.Min(b.Max(forward, b.Index(0)), b.Index(extent - 1));
}

}  // namespace hone
