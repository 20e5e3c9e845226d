#include "compiler/generic/places.h"

#include <algorithm>
#include <string>

#include "compiler/codegen/element.h"
#include "compiler/codegen/gather.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {
namespace {

bool KeepsPlaces(const relay::Call& call) {
  const relay::OpDef& op = *relay::AsOp(call.op)->def;
  const bool pointwise = op.pattern == relay::OpPattern::kElementwise || op.pattern == relay::OpPattern::kBroadcast;
  return pointwise && op.name != "nn.bias_add" && op.name != "nn.prelu";
}

}  // namespace

bool TakesPlaces(const Evaluator& e, const relay::ExprPtr& expr) {
  if (relay::AsConstant(expr) != nullptr || e.FlatOperand(expr) != nullptr) return true;
  const relay::Call* call = relay::AsCall(expr);
  if (call == nullptr || relay::AsOp(call->op) == nullptr) return false;
  if (relay::AsOp(call->op)->def->name == "take") {
    return relay::AsConstant(call->args[1]) != nullptr && TakesPlaces(e, call->args[0]);
  }
  return KeepsPlaces(*call) && std::all_of(call->args.begin(), call->args.end(),
                                           [&](const relay::ExprPtr& arg) { return TakesPlaces(e, arg); });
}

bool ReadsByPlaces(Evaluator& e, const relay::ExprPtr& data, Lanes lanes) {
  const relay::Type& type = TensorTypeOf(data);
  const bool pays = relay::AsCall(data) != nullptr || GathersPay(e.b(), ElementType(e.b(), type.dtype), lanes.count);
  return lanes.count > 1 && pays && ElementCount(type.shape) <= INT32_MAX && TakesPlaces(e, data);
}

Coordinate PlacesAt(Evaluator& e, const relay::ExprPtr& indices, const Coordinates& at, Lanes lanes, int64_t extent) {
  auto& ir = e.b().ir();
  Value* given = e.Eval(indices, at, lanes);
  if (!given->getType()->isIntOrIntVectorTy()) throw Error(ExitCode::kBug, "positions that are not integers");
  llvm::Type* wide = VectorOf(e.b().i64(), lanes.count);
  given = ir.CreateSExtOrTrunc(given, wide);
  const auto number = [&](int64_t x) { return llvm::ConstantInt::getSigned(wide, x); };
  Value* forward = ir.CreateSelect(ir.CreateICmpSLT(given, number(0)), ir.CreateAdd(given, number(extent)), given);
  Value* least = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, forward, number(0));
  Value* inside = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, least, number(extent - 1));
  return {e.b().Index(0), 1, nullptr, 0, ir.CreateTrunc(inside, VectorOf(e.b().i32(), lanes.count))};
}

}  // namespace hone
