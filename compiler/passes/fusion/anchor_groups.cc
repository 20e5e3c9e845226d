#include <algorithm>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_epilogue.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// The only user of the group's last value; null if there are several or a group has it already.
ExprPtr NextStep(const UserMap& users, const Grouping& grouping, const FuseGroup& group) {
  const ExprPtr next = users.OnlyUser(group.members.back());
  return next != nullptr && !grouping.Has(next) && relay::AsCall(next) != nullptr ? next : nullptr;
}

bool TakeBias(const ExprPtr& step, FuseGroup& group) {
  const Call* add = relay::AsCallTo(step, "nn.bias_add");
  if (add == nullptr || add->args[0] != group.members.back() || relay::AsConstant(add->args[1]) == nullptr)
    return false;
  const int64_t axis = add->attrs.GetInt("axis", 1);
  if (axis != 1 && axis + static_cast<int64_t>(ShapeOf(step).size()) != 1) return false;
  group.members.push_back(step);
  return true;
}

// Whether it casts a stored bfloat16 to float32.
bool IsWidening(const ExprPtr& expr) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  return cast != nullptr && relay::IsKernelFloat(expr->type->dtype) && cast->args[0]->type->dtype == DType::kBFloat16;
}

bool IsNarrowing(const ExprPtr& expr) {
  return relay::AsCallTo(expr, "cast") != nullptr && expr->type->dtype == DType::kBFloat16;
}

// A sum of the value with itself has two uses, so the other side never depends on the anchor.
bool IsResidual(const ExprPtr& step, const ExprPtr& value) {
  const Call* add = relay::AsCallTo(step, "add");
  if (add == nullptr) return false;
  const ExprPtr& other = add->args[0] == value ? add->args[1] : add->args[0];
  return ShapeOf(other) == ShapeOf(value) && relay::AsConstant(other) == nullptr;
}

// x * scale + shift with constants per channel, (C, 1, 1): the add, or null.
const Call* AsScaleShift(const ExprPtr& expr) {
  const Call* add = relay::AsCallTo(expr, "add");
  const Call* multiply = add ? relay::AsCallTo(add->args[0], "multiply") : nullptr;
  if (multiply == nullptr) return nullptr;
  const Shape channel{ShapeOf(expr)[1], 1, 1};
  for (const ExprPtr& constant : {add->args[1], multiply->args[1]}) {
    if (relay::AsConstant(constant) == nullptr || ShapeOf(constant) != channel) return nullptr;
  }
  return add;
}

// A prologue is applied once per row for all output channels. This keeps the weights moving, so they have to stay in
// cache.
bool MayHavePrologue(const Call& anchor) {
  constexpr int64_t kMostWeightBytes = 512 << 10;
  const Shape& weight = ShapeOf(anchor.args[1]);
  if (weight.size() != 4 || weight[2] != 1 || weight[3] != 1 || anchor.attrs.GetInt("groups", 1) != 1) return false;
  const std::array<int64_t, 4> padding = Padding4(anchor.attrs);
  const bool padded = std::any_of(padding.begin(), padding.end(), [](int64_t p) { return p != 0; });
  return !padded && weight[1] >= 16 &&
         ElementCount(weight) * DTypeBytes(anchor.args[1]->type->dtype) <= kMostWeightBytes;
}

// Puts scale, shift and relu ahead of the anchor if nothing else reads them.
void TakePrologue(const UserMap& users, const Grouping& grouping, FuseGroup& group) {
  const ExprPtr anchor = group.members.front();
  if (!MayHavePrologue(*relay::AsCall(anchor))) return;
  const ExprPtr& read = relay::AsCall(anchor)->args[0];
  const Call* relu = relay::AsCallTo(read, "nn.relu");
  const ExprPtr& sum = relu ? relu->args[0] : read;
  const Call* add = AsScaleShift(sum);
  if (add == nullptr) return;
  std::vector<ExprPtr> chain{add->args[0], sum};
  if (relu != nullptr) chain.push_back(read);
  for (const ExprPtr& step : chain) {
    if (grouping.Has(step) || users.OnlyUser(step) == nullptr) return;
  }
  group.members.insert(group.members.begin(), chain.begin(), chain.end());
}

// Takes the epilogue behind a sum of bytes.
void TakeWholeEpilogue(const UserMap& users, const Grouping& grouping, FuseGroup& group) {
  const auto free = [&](const ExprPtr& expr) { return expr != nullptr && !grouping.Has(expr) ? expr : nullptr; };
  const auto next = [&](const ExprPtr& value) { return free(users.OnlyUser(value)); };
  const auto own = [&](const ExprPtr& step) { return free(step) != nullptr && users.OnlyUser(step) != nullptr; };
  const WholeEpilogue epilogue = ReadWholeEpilogue(group.anchor, next, own);
  group.members.insert(group.members.end(), epilogue.steps.begin(), epilogue.steps.end());
}

// Takes transposes around a product, and the steps of its store: a cast to bfloat16, or an epilogue behind a sum of
// bytes.
void TakeProductTransposes(const UserMap& users, const Grouping& grouping, FuseGroup& group) {
  const ExprPtr matmul = group.members.back();
  for (size_t i = 0; i < 2; ++i) {
    const ExprPtr read = TransposeReadBy(users, grouping, matmul, i);
    if (read != nullptr) group.members.insert(group.members.begin(), read);
  }
  if (matmul->type->dtype == DType::kInt32) {
    TakeWholeEpilogue(users, grouping, group);
  } else if (const ExprPtr stored = NextStep(users, grouping, group); stored != nullptr && IsNarrowing(stored)) {
    group.members.push_back(stored);
  }
  const ExprPtr written = TransposeBehind(users, grouping, group.members.back());
  if (written != nullptr) group.members.push_back(written);
}

// The epilogue behind a float32 sum, except for the bias, which is taken before.
class FloatTail {
 public:
  FloatTail(const UserMap& users, const Grouping& grouping, FuseGroup& group)
      : users_(users), grouping_(grouping), group_(group) {}

  // A residual has the output's element type. If only one of them is bfloat16, the addition is a kernel of its own.
  void Take() {
    const size_t taken = group_.members.size();
    const bool residual = TakeResidual();
    TakeActivation();
    const bool narrows = TakeNarrowing();
    if (!residual || narrows == narrow_residual_) return;
    group_.members.resize(taken);
  }

 private:
  bool TakeResidual() {
    const ExprPtr step = NextStep(users_, grouping_, group_);
    const ExprPtr& value = group_.members.back();
    if (step == nullptr || !IsResidual(step, value)) return false;
    const Call& add = *relay::AsCall(step);
    const ExprPtr& other = add.args[0] == value ? add.args[1] : add.args[0];
    narrow_residual_ = IsWidening(other) && !grouping_.Has(other) && users_.OnlyUser(other) != nullptr;
    if (narrow_residual_) group_.members.push_back(other);
    group_.members.push_back(step);
    return true;
  }

  void TakeActivation() {
    const ExprPtr step = NextStep(users_, grouping_, group_);
    Epilogue unused;
    if (step != nullptr && SetActivation(step, unused)) group_.members.push_back(step);
  }

  bool TakeNarrowing() {
    const ExprPtr step = NextStep(users_, grouping_, group_);
    // Kernels of packed weights store float32 alone.
    if (step == nullptr || !IsNarrowing(step) || relay::AsCallTo(group_.anchor, "nn.dense_blocks") != nullptr)
      return false;
    group_.members.push_back(step);
    return true;
  }

  const UserMap& users_;
  const Grouping& grouping_;
  FuseGroup& group_;
  bool narrow_residual_ = false;
};

void TakeEpilogue(const UserMap& users, const Grouping& grouping, FuseGroup& group) {
  const ExprPtr next = NextStep(users, grouping, group);
  if (next != nullptr) TakeBias(next, group);
  FloatTail(users, grouping, group).Take();
}

void TakeNeighbours(const UserMap& users, const Grouping& grouping, AnchorNeighbours neighbours, FuseGroup& group) {
  if (neighbours == AnchorNeighbours::kTransposes) return TakeProductTransposes(users, grouping, group);
  if (group.anchor->type->dtype == DType::kInt32) return TakeWholeEpilogue(users, grouping, group);
  TakePrologue(users, grouping, group);
  TakeEpilogue(users, grouping, group);
}

}  // namespace

ExprPtr TransposeReadBy(const UserMap& users, const Grouping& grouping, const ExprPtr& matmul, size_t argument) {
  const Call& product = *relay::AsCall(matmul);
  const ExprPtr& read = product.args[argument];
  const Call* transpose = relay::AsCallTo(read, "transpose");
  if (transpose == nullptr || grouping.Has(read) || users.OnlyUser(read) == nullptr) return nullptr;
  const std::string axes = TransposedFrom(*transpose, MatmulAxes(product, argument));
  const bool groups = argument == 0 && product.args[0]->type->dtype != DType::kFloat32;
  return axes.ends_with('B') || (groups && !axes.ends_with('K')) ? nullptr : read;
}

ExprPtr TransposeBehind(const UserMap& users, const Grouping& grouping, const ExprPtr& value) {
  const ExprPtr next = users.OnlyUser(value);
  const Call* transpose = next != nullptr && !grouping.Has(next) ? relay::AsCallTo(next, "transpose") : nullptr;
  return transpose != nullptr && TransposeAxes(*transpose) == Axes{1, 0, 2} ? next : nullptr;
}

void GroupAnchors(const UserMap& users, bool with_epilogues, Grouping& grouping) {
  for (auto it = users.order.rbegin(); it != users.order.rend(); ++it) {
    const AnchorOperator* anchor = AsAnchor(*it);
    if (anchor == nullptr) continue;
    FuseGroup group{{*it}, *it};
    if (with_epilogues) TakeNeighbours(users, grouping, anchor->neighbours, group);
    grouping.Add(std::move(group));
  }
}

}  // namespace hone
