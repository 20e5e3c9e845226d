// One instruction permutes a number of lanes. They are read from one window of the axis, or from two adjacent windows:
//
//    positions    0 0 1 1 2 2 3 3   4 4 5 5 6 6 7 7          0 2 4 6 8 10 12 14
//    first        0                 4 (if that is inside)    0
//    windows      [0 .. 7]          [4 .. 11]                [0 .. 7] [8 .. 15]
//    order        0 0 1 1 2 2 3 3   0 0 1 1 2 2 3 3          0 2 4 6 8 10 12 14
//
// Each place of the list has its own `first` and `order`, so that lanes may begin anywhere.
#include "compiler/ops/movement/kernel_line_lookup.h"

#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <numeric>

#include "compiler/codegen/element.h"
#include "core/nth.h"

namespace hone {
namespace {

// An instruction permutes either 8 granules of 4 bytes (AVX2's vpermd) or 16 of a byte (pshufb, tbl). An element is one
// granule or several.
struct Permutation {
  llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
  int granules = 0;
  int granule_bytes = 1;
};

Permutation PermutationFor(KernelBuilder& b, DType dtype) {
  const llvm::Triple triple(b.module().getTargetTriple());
  if (triple.isAArch64()) return {llvm::Intrinsic::aarch64_neon_tbl1, 16, 1};
  if (!triple.isX86()) return {};
  if (b.lanes() >= 8 && DTypeBytes(dtype) >= 4) return {llvm::Intrinsic::x86_avx2_permd, 8, 4};
  return {llvm::Intrinsic::x86_ssse3_pshuf_b_128, 16, 1};
}

}  // namespace

int PermutableLanes(KernelBuilder& b, DType dtype) {
  const Permutation permutation = PermutationFor(b, dtype);
  return permutation.granules * permutation.granule_bytes / static_cast<int>(DTypeBytes(dtype));
}

std::vector<uint8_t> OrderBytes(KernelBuilder& b, DType dtype, const std::vector<int64_t>& lanes) {
  const int64_t granules = DTypeBytes(dtype) / PermutationFor(b, dtype).granule_bytes;  // granules per element
  std::vector<uint8_t> bytes;
  for (const int64_t lane : lanes) {
    for (int64_t i = 0; i < granules; ++i) bytes.push_back(static_cast<uint8_t>(lane * granules + i));
  }
  return bytes;
}

Value* PermutedLanes(KernelBuilder& b, DType dtype, Value* low, Value* high, Value* order) {
  auto& ir = b.ir();
  const Permutation permutation = PermutationFor(b, dtype);
  llvm::Type* granules =
      VectorOf(ir.getIntNTy(static_cast<unsigned>(8 * permutation.granule_bytes)), permutation.granules);
  Value* lanes = b.LoadAs(VectorOf(ir.getInt8Ty(), permutation.granules), order);
  lanes = ir.CreateZExt(lanes, granules);
  Value* last = llvm::ConstantInt::get(granules, static_cast<uint64_t>(permutation.granules - 1));
  const auto permuted = [&](Value* vector, Value* by) -> Value* {
    return ir.CreateIntrinsic(permutation.id,
                              permutation.id == llvm::Intrinsic::aarch64_neon_tbl1
                                  ? llvm::ArrayRef<llvm::Type*>(granules)
                                  : llvm::ArrayRef<llvm::Type*>(),
                              {ir.CreateBitCast(vector, granules), by});
  };
  if (high == nullptr) return ir.CreateBitCast(permuted(low, lanes), low->getType());
  Value* within = ir.CreateAnd(lanes, last);
  Value* chosen = ir.CreateSelect(ir.CreateICmpUGT(lanes, last), permuted(high, within), permuted(low, within));
  return ir.CreateBitCast(chosen, low->getType());
}

Value* ConstantArray(KernelBuilder& b, llvm::Constant* elements) {
  for (llvm::GlobalVariable& known : b.module().globals()) {
    if (known.hasInitializer() && known.getInitializer() == elements) return &known;
  }
  auto* array = new llvm::GlobalVariable(b.module(), elements->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                         elements, "array");
  array->setAlignment(llvm::Align(64));
  return array;
}

namespace {

constexpr int64_t kMostWindows = 2;

size_t TakeAxis(const relay::Call& take) {
  const int64_t given = take.attrs.GetInt("axis", 0);
  const auto rank = static_cast<int64_t>(TensorTypeOf(take.args[0]).shape.size());
  return static_cast<size_t>(given < 0 ? given + rank : given);
}
int64_t ExtentOf(const relay::Call& take) { return TensorTypeOf(take.args[0]).shape[TakeAxis(take)]; }

// The list, with negative positions counted from the back; empty if it is not known or a position is outside the axis.
std::vector<int64_t> KnownPositions(const relay::Call& take) {
  const relay::Constant* list = relay::AsConstant(take.args[1]);
  if (list == nullptr || list->value.dtype() != DType::kInt64 || list->value.shape().size() != 1) return {};
  const int64_t extent = ExtentOf(take);
  const auto* first = list->value.data<int64_t>();
  std::vector<int64_t> positions(first, first + list->value.elements());
  for (int64_t& position : positions) position += position < 0 ? extent : 0;
  const bool inside = std::all_of(positions.begin(), positions.end(),
                                  [&](int64_t position) { return position >= 0 && position < extent; });
  return inside ? positions : std::vector<int64_t>();
}

struct Windows {
  int64_t lanes = 0;   // lanes of a window
  int64_t extent = 0;  // extent of the axis
  int64_t count = 1;   // windows that neighbouring lanes are read from
  std::vector<int32_t> first;
  std::vector<uint8_t> orders;  // orders of all places, one after the other
};

// The positions of a window's lanes from a place of the list on. Past the list's end the last position repeats.
std::vector<int64_t> PositionsFrom(const std::vector<int64_t>& positions, size_t place, int64_t lanes) {
  std::vector<int64_t> here;
  for (size_t i = place; i < place + static_cast<size_t>(lanes); ++i) {
    here.push_back(positions[std::min(i, positions.size() - 1)]);
  }
  return here;
}

// Largest number of windows that a place needs.
int64_t WindowsNeeded(const std::vector<int64_t>& positions, int64_t lanes) {
  int64_t needed = 1;
  for (size_t place = 0; place < positions.size(); ++place) {
    const std::vector<int64_t> here = PositionsFrom(positions, place, lanes);
    const auto [least, most] = std::minmax_element(here.begin(), here.end());
    needed = std::max(needed, (*most - *least) / lanes + 1);
  }
  return needed;
}

// Windows of zero lanes if the positions do not allow any.
Windows WindowsOf(KernelBuilder& b, const relay::Call& take) {
  const DType dtype = take.type->dtype;
  const std::vector<int64_t> positions = KnownPositions(take);
  Windows windows{PermutableLanes(b, dtype), ExtentOf(take), 1, {}, {}};
  if (windows.lanes < 2 || positions.empty()) return {};
  windows.count = WindowsNeeded(positions, windows.lanes);
  if (windows.count > kMostWindows) return {};
  const int64_t span = windows.count * windows.lanes;
  for (size_t place = 0; place < positions.size(); ++place) {
    std::vector<int64_t> here = PositionsFrom(positions, place, windows.lanes);
    const int64_t least = *std::min_element(here.begin(), here.end());
    const int64_t first = std::max<int64_t>(0, std::min(least, windows.extent - span));
    for (int64_t& position : here) position -= first;
    windows.first.push_back(static_cast<int32_t>(first));
    const std::vector<uint8_t> order = OrderBytes(b, dtype, here);
    windows.orders.insert(windows.orders.end(), order.begin(), order.end());
  }
  return windows;
}

// Lanes [0, lanes) of a window; past the axis's end lanes hold anything. Null if the whole window is past it.
Value* LookUpWindow(Evaluator& e, const relay::Call& take, const Coordinates& from, size_t axis, const Windows& windows,
                    int64_t number) {
  const int64_t valid = std::min(windows.lanes, windows.extent - number * windows.lanes);
  if (valid <= 0) return nullptr;
  Coordinates at = from;
  at[axis] = {e.b().Add(from[axis].base, number * windows.lanes), 1};
  const int lanes = static_cast<int>(windows.lanes);
  return e.Eval(take.args[0], at, {lanes, static_cast<int>(valid)});
}

// The first `lanes` lanes of concatenated vectors; lanes past their end hold anything.
Value* Joined(KernelBuilder& b, const Vals& parts, int lanes) {
  Value* all = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    const int have = static_cast<int>(llvm::cast<llvm::FixedVectorType>(all->getType())->getNumElements());
    const int more = static_cast<int>(llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements());
    std::vector<int> widened(static_cast<size_t>(have), llvm::PoisonMaskElem), both(static_cast<size_t>(have + more));
    std::iota(widened.begin(), widened.begin() + more, 0);
    std::iota(both.begin(), both.end(), 0);
    Value* next = have == more ? parts[i] : b.ir().CreateShuffleVector(parts[i], llvm::ArrayRef<int>(widened));
    all = b.ir().CreateShuffleVector(all, next, llvm::ArrayRef<int>(both));
  }
  const auto have = llvm::cast<llvm::FixedVectorType>(all->getType())->getNumElements();
  std::vector<int> wanted(static_cast<size_t>(lanes), llvm::PoisonMaskElem);
  std::iota(wanted.begin(), wanted.begin() + std::min<int64_t>(lanes, have), 0);
  return b.ir().CreateShuffleVector(all, llvm::ArrayRef<int>(wanted));
}

}  // namespace

bool HasPlainPositions(const relay::Call& take) {
  const relay::Constant* list = relay::AsConstant(take.args[1]);
  if (list == nullptr || list->value.dtype() != DType::kInt64) return false;
  const auto* first = list->value.data<int64_t>();
  return std::all_of(first, first + list->value.elements(),
                     [extent = ExtentOf(take)](int64_t position) { return position >= 0 && position < extent; });
}

Value* TakenFromWindows(Evaluator& e, const relay::Call& take, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const relay::Type& data = TensorTypeOf(take.args[0]);
  const size_t axis = TakeAxis(take);
  for (size_t d = 0; d < at.size(); ++d) {
    if (at[d].step != (d == axis ? 1 : 0)) return nullptr;
  }
  if (!data.layout.empty()) return nullptr;
  const Windows windows = WindowsOf(b, take);
  if (windows.lanes == 0) return nullptr;
  auto& context = b.ir().getContext();
  Value* firsts = ConstantArray(b, llvm::ConstantDataArray::get(context, windows.first));
  Value* orders = ConstantArray(b, llvm::ConstantDataArray::get(context, windows.orders));
  const auto order_bytes = static_cast<int64_t>(windows.orders.size() / windows.first.size());
  Vals parts;
  for (int64_t lane = 0; lane < lanes.valid; lane += windows.lanes) {
    Value* place = b.Add(at[axis].base, lane);
    Coordinates from = at;
    from[axis] = At(b.ir().CreateSExt(b.LoadAs(b.i32(), b.At(firsts, b.Mul(place, 4))), b.i64()));
    Value* low = LookUpWindow(e, take, from, axis, windows, 0);
    Value* high = windows.count > 1 ? LookUpWindow(e, take, from, axis, windows, 1) : nullptr;
    parts.push_back(PermutedLanes(b, take.type->dtype, low, high, b.At(orders, b.Mul(place, order_bytes))));
  }
  return Joined(b, parts, lanes.count);
}

}  // namespace hone
