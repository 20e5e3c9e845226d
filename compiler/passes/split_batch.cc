#include <algorithm>
#include <unordered_map>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/visitor.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// A package names every call, so more parts would enlarge it for little gain.
constexpr int64_t kMostParts = 16;

bool IsTensor(const ExprPtr& expr) { return expr->type->kind == relay::TypeKind::kTensor; }

int64_t BytesOfTensor(const ExprPtr& expr) {
  return IsTensor(expr) ? ElementCount(ShapeOf(expr)) * DTypeBytes(expr->type->dtype) : 0;
}

// Elementwise or broadcasting, without an attribute that names an axis or a shape.
bool IsBroadcast(const Call& call) {
  const relay::OpDef& op = *relay::AsOp(call.op)->def;
  return op.pattern <= relay::OpPattern::kBroadcast &&
         std::none_of(op.attrs.begin(), op.attrs.end(),
                      [](const relay::AttrSpec& attr) { return attr.name == "axis" || attr.name == "shape"; });
}

bool TreatsImagesAlike(const Call& call) {
  const std::vector<int64_t> padded = call.attrs.GetInts("pad_width", {0, 0});
  return relay::AsOp(call.op)->def->traits.per_image && call.attrs.GetInt("axis", 1) == 1 && padded[0] == 0 &&
         padded[1] == 0;
}

int64_t BatchOf(const relay::IRModule& module) {
  for (const auto& param : module.main->params) {
    const bool images = param->type->kind == relay::TypeKind::kTensor && param->type->shape.size() == 4;
    if (images) return param->type->shape[0];
  }
  return 1;
}

std::vector<ExprPtr> ArgsOf(const ExprPtr& expr) {
  if (const Call* call = relay::AsCall(expr)) return call->args;
  const relay::Tuple* tuple = relay::AsTuple(expr);
  return tuple ? tuple->fields : std::vector<ExprPtr>{};
}

bool HoldsImages(const ExprPtr& expr, int64_t batch) {
  return IsTensor(expr) && !ShapeOf(expr).empty() && ShapeOf(expr)[0] == batch;
}

// Whether the argument of a broadcast to `rank` dims holds the same images as the result, or has one value for all
// images.
bool MayBroadcast(const ExprPtr& arg, size_t rank, int64_t batch) {
  const Shape& shape = ShapeOf(arg);
  if (relay::AsConstant(arg) != nullptr) return shape.size() < rank || shape[0] == 1;
  return shape.size() == rank && shape[0] == batch;
}

bool MayJoin(const ExprPtr& expr, int64_t batch) {
  if (relay::AsConstant(expr) != nullptr) return true;
  if (const relay::Tuple* tuple = relay::AsTuple(expr)) {
    // A constant that is joined to images has as many rows as the whole batch, and a part has fewer images.
    return std::none_of(tuple->fields.begin(), tuple->fields.end(), relay::AsConstant);
  }
  if (!HoldsImages(expr, batch)) return false;
  const Call* call = relay::AsCall(expr);
  if (call == nullptr) return relay::AsVar(expr) != nullptr;
  const size_t rank = ShapeOf(expr).size();
  const bool broadcast = IsBroadcast(*call);
  if (!broadcast && !TreatsImagesAlike(*call)) return false;
  const auto begin = call->args.begin() + (broadcast ? 0 : 1);
  return std::all_of(begin, call->args.end(), [&](const ExprPtr& arg) {
    return broadcast ? MayBroadcast(arg, rank, batch) : relay::AsConstant(arg) != nullptr;
  });
}

int64_t BytesAround(const ExprPtr& expr) {
  int64_t bytes = 0;
  if (relay::AsCall(expr) == nullptr) return bytes;
  for (const ExprPtr& arg : ArgsOf(expr)) bytes += relay::AsConstant(arg) ? 0 : BytesOfTensor(arg);
  return bytes + BytesOfTensor(expr);
}

// Number of parts of the batch so that values of `bytes` for all images fit into `room`.
int64_t PartsFor(int64_t batch, int64_t bytes, int64_t room) {
  for (int64_t parts = 2; parts <= std::min(batch, kMostParts); ++parts) {
    if (batch % parts == 0 && bytes / parts <= room) return parts;
  }
  for (int64_t parts = std::min(batch, kMostParts); parts > 1; --parts) {
    if (batch % parts == 0) return parts;
  }
  return 1;
}

// End of a front, as a position in the post order.
struct BatchCut {
  size_t end = 0;
  int64_t parts = 1;
};

BatchCut FindBatchCut(const std::vector<ExprPtr>& order, int64_t batch, int64_t room) {
  std::unordered_map<const relay::Expr*, size_t> last_use;
  for (size_t i = 0; i < order.size(); ++i) {
    for (const ExprPtr& arg : ArgsOf(order[i])) last_use[arg.get()] = i;
  }
  BatchCut cut;
  int64_t largest = 0;
  size_t open_until = 0;  // position of the last use of the values so far
  bool wanted = false;
  for (size_t i = 0; i + 1 < order.size() && MayJoin(order[i], batch); ++i) {
    const int64_t bytes = BytesAround(order[i]);
    largest = std::max(largest, bytes);
    wanted = wanted || bytes > room;
    if (wanted && open_until <= i && relay::AsCall(order[i]) != nullptr) {
      cut = {i, PartsFor(batch, largest, room)};
      wanted = false;
    }
    if (relay::AsConstant(order[i]) == nullptr) open_until = std::max(open_until, last_use[order[i].get()]);
  }
  return cut;
}

// The front's end value, computed for the images [first, last).
ExprPtr FrontOfImages(const std::vector<ExprPtr>& order, const BatchCut& cut, int64_t first, int64_t last) {
  using Ints = std::vector<int64_t>;
  std::unordered_map<const relay::Expr*, ExprPtr> part;
  for (size_t i = 0; i <= cut.end; ++i) {
    const ExprPtr& expr = order[i];
    const std::vector<ExprPtr> whole = ArgsOf(expr);
    std::vector<ExprPtr> args;
    args.reserve(whole.size());
    for (const ExprPtr& arg : whole) args.push_back(part.at(arg.get()));
    if (const Call* call = relay::AsCall(expr)) {
      part[expr.get()] = TypedCall(relay::AsOp(call->op)->def->name, std::move(args), call->attrs, call->name);
    } else if (relay::AsTuple(expr) != nullptr) {
      part[expr.get()] = TypedTuple(std::move(args));
    } else if (relay::AsVar(expr) != nullptr) {
      part[expr.get()] =
          TypedCall("strided_slice", {expr}, {{"begin", Ints{first}}, {"end", Ints{last}}, {"axes", Ints{0}}});
    } else {
      part[expr.get()] = expr;
    }
  }
  return part.at(order[cut.end].get());
}

}  // namespace

relay::IRModule SplitBatch(const relay::IRModule& module, const MachineModel& machine) {
  const int64_t batch = BatchOf(module);
  // A run of fewer images would do the parts of the others, too.
  const auto ranged = relay::RangedInputs(*module.main);
  const bool chosen = std::any_of(ranged.begin(), ranged.end(), [](const auto& each) { return each.axis == 0; });
  if (batch < 2 || chosen) return module;
  const std::vector<ExprPtr> order = PostOrder(module.main->body);
  const BatchCut cut = FindBatchCut(order, batch, machine.l3_bytes * machine.threads / 2);
  if (cut.parts < 2) return module;
  std::vector<ExprPtr> parts;
  parts.reserve(static_cast<size_t>(cut.parts));
  const int64_t images = batch / cut.parts;
  for (int64_t i = 0; i < cut.parts; ++i) parts.push_back(FrontOfImages(order, cut, i * images, (i + 1) * images));
  const ExprPtr joined = TypedCall("concatenate", {TypedTuple(std::move(parts))}, {{"axis", int64_t{0}}});
  return WithBody(module, relay::RewritePostOrder(module.main->body, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
                    return old == order[cut.end] ? joined : rebuilt;
                  }));
}

}  // namespace hone
