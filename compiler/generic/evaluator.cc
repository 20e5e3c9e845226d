#include "compiler/generic/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/generic/memory_shape.h"
#include "compiler/generic/piece.h"
#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

bool Same(const Coordinates& a, const Coordinates& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Coordinate& x, const Coordinate& y) {
    return x.base == y.base && x.step == y.step && x.block == y.block && x.places == y.places;
  });
}

llvm::Constant* ElementConstant(KernelBuilder& b, const Tensor& value, int64_t i) {
  llvm::Type* type = ElementType(b, value.dtype());
  if (type->isFloatingPointTy()) return llvm::ConstantFP::get(type, value.At(i));
  if (hone::IsFloat(value.dtype()) && DTypeBytes(value.dtype()) == 2) {
    return llvm::ConstantInt::get(type, static_cast<const uint16_t*>(value.raw())[i]);
  }
  return llvm::ConstantInt::get(type, static_cast<uint64_t>(IntegerAt(value, i)), true);
}

// A table inside the kernel's own object.
llvm::GlobalVariable* ConstantTable(KernelBuilder& b, const Tensor& value) {
  std::vector<llvm::Constant*> elements;
  elements.reserve(static_cast<size_t>(value.elements()));
  for (int64_t i = 0; i < value.elements(); ++i) elements.push_back(ElementConstant(b, value, i));
  auto* type = llvm::ArrayType::get(ElementType(b, value.dtype()), elements.size());
  auto* table = new llvm::GlobalVariable(b.module(), type, true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(type, elements), "table");
  table->setAlignment(llvm::Align(64));
  return table;
}

// Null if the operator has no emitter of that kind.
template <class Emitter>
Emitter Find(std::string_view op_name) {
  static const EmitterTable table = AllEmitters();
  for (const auto& [op, emit] : table) {
    const Emitter* emitter = op == op_name ? std::get_if<Emitter>(&emit) : nullptr;
    if (emitter != nullptr) return *emitter;
  }
  return nullptr;
}

}  // namespace

CallEmitter FindEmitter(std::string_view op_name) { return Find<CallEmitter>(op_name); }
ItemEmitter FindItemEmitter(std::string_view op_name) { return Find<ItemEmitter>(op_name); }
WholeEmitter FindWholeEmitter(std::string_view op_name) { return Find<WholeEmitter>(op_name); }

const relay::Type& TensorTypeOf(const relay::ExprPtr& expr) {
  if (!expr->type || expr->type->kind != relay::TypeKind::kTensor) {
    throw Error(ExitCode::kBug, "a generic kernel met an expression that is not a typed tensor");
  }
  return *expr->type;
}

Layout LayoutOf(const relay::Type& type) { return type.layout.empty() ? Layout() : Layout::Parse(type.layout); }

std::vector<relay::ExprPtr> FlatArgs(const relay::Call& call) {
  std::vector<relay::ExprPtr> flat;
  for (const auto& arg : call.args) {
    const auto* tuple = relay::AsTuple(arg);
    if (tuple) {
      flat.insert(flat.end(), tuple->fields.begin(), tuple->fields.end());
    } else {
      flat.push_back(arg);
    }
  }
  return flat;
}

Evaluator::Evaluator(KernelBuilder& builder, const relay::Function& function,
                     const std::vector<KernelOperand>& operands, const StageArgs& args)
    : b_(builder) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const int operand = static_cast<int>(i);
    Value* stride = LiesApart(function, i) ? b_.BatchStride(args, operand) : nullptr;
    operands_.push_back({b_.Operand(args, operand), stride, operands[i].dtype, operands[i].shape, operands[i].layout});
  }
  for (size_t i = 0; i < function.params.size(); ++i) param_[function.params[i].get()] = i;
}

void Evaluator::Reset() {
  memo_.clear();
  known_.clear();
  field_.clear();
  interior = false;
  columns_inside = false;
  padded = nullptr;
}

void Evaluator::Enter(const Piece& piece) {
  Reset();
  interior = piece.interior;
  columns_inside = piece.columns_inside;
  padded = piece.padded;
  for (const auto& [concat, field] : piece.fields) SetField(concat, field);
}

bool Evaluator::ReadsBlocks(const relay::ExprPtr& expr, const Coordinate& c) const {
  const auto it = param_.find(expr.get());
  if (it == param_.end() || operands_[it->second].layout.empty()) return false;
  return c.block > 0 && operands_[it->second].layout.axes().back().block == c.block;
}

std::optional<int> Evaluator::FieldOf(const relay::Expr* concat) const {
  const auto it = field_.find(concat);
  return it == field_.end() ? std::nullopt : std::optional<int>(it->second);
}

const OperandAccess* Evaluator::FlatOperand(const relay::ExprPtr& expr) const {
  const auto it = param_.find(expr.get());
  if (it == param_.end()) return nullptr;
  const OperandAccess& operand = operands_[it->second];
  return operand.layout.empty() && !operand.batch_stride ? &operand : nullptr;
}

Value* Evaluator::Remembered(const relay::Expr* expr, const Coordinates& at, Lanes lanes) const {
  const auto it = memo_.find(expr);
  if (it == memo_.end()) return nullptr;
  for (const Memo& memo : it->second) {
    const bool same_lanes = memo.lanes.count == lanes.count && memo.lanes.valid == lanes.valid;
    if (memo.block == b_.ir().GetInsertBlock() && same_lanes && Same(memo.at, at)) return memo.value;
  }
  return nullptr;
}

Value* Evaluator::Eval(const relay::ExprPtr& expr, const Coordinates& at, Lanes lanes) {
  if (const auto known = known_.find(expr.get()); known != known_.end()) {
    return lanes.count > 1 && !known->second->getType()->isVectorTy() ? b_.Splat(known->second, lanes.count)
                                                                      : known->second;
  }
  if (lanes.count > 1 && !Varies(at)) return b_.Splat(Eval(expr, at, kScalar), lanes.count);
  if (Value* value = Remembered(expr.get(), at, lanes)) return value;
  Value* value = Compute(expr, at, lanes);
  // A remembered value dominates a second use only within its own block.
  auto& memos = memo_[expr.get()];
  std::erase_if(memos, [&](const Memo& m) { return m.block != b_.ir().GetInsertBlock(); });
  memos.push_back({at, lanes, b_.ir().GetInsertBlock(), value});
  return value;
}

Value* Evaluator::Compute(const relay::ExprPtr& expr, const Coordinates& at, Lanes lanes) {
  if (const auto it = param_.find(expr.get()); it != param_.end()) {
    return LoadOperand(b_, operands_[it->second], at, lanes);
  }
  if (const auto* constant = relay::AsConstant(expr)) return EvalConstant(*constant, at, lanes);
  if (const auto* item = relay::AsTupleGetItem(expr)) return EvalItem(*item, at, lanes);
  const auto* call = relay::AsCall(expr);
  const auto* op = call ? relay::AsOp(call->op) : nullptr;
  const CallEmitter emitter = op ? FindEmitter(op->def->name) : nullptr;
  if (!emitter) throw Error(ExitCode::kBug, "a generic kernel met an expression that it cannot compute");
  return emitter(*this, *call, at, lanes);
}

Value* Evaluator::EvalItem(const relay::TupleGetItem& item, const Coordinates& at, Lanes lanes) {
  if (const auto* tuple = relay::AsTuple(item.tuple)) {
    return Eval(Nth(tuple->fields, item.index), at, lanes);
  }
  const auto* call = relay::AsCall(item.tuple);
  const auto* op = call ? relay::AsOp(call->op) : nullptr;
  const ItemEmitter emitter = op ? FindItemEmitter(op->def->name) : nullptr;
  if (!emitter) throw Error(ExitCode::kBug, "a generic kernel met a tuple that it cannot compute");
  return emitter(*this, *call, item.index, at, lanes);
}

Value* Evaluator::EvalConstant(const relay::Constant& constant, const Coordinates& at, Lanes lanes) {
  if (constant.value.elements() == 1) return b_.Splat(ElementConstant(b_, constant.value, 0), lanes.count);
  auto [it, is_new] = constant_.try_emplace(&constant);
  if (is_new) {
    const relay::Type& type = *constant.type;
    it->second = {ConstantTable(b_, constant.value), nullptr, type.dtype, type.shape, {}};
  }
  return LoadOperand(b_, it->second, at, lanes);
}

Value* Evaluator::PerLane(Lanes lanes, const Coordinates& at, DType dtype,
                          const std::function<Value*(const Coordinates&)>& lane) {
  if (lanes.count == 1) return lane(at);
  Value* result = llvm::Constant::getNullValue(VectorOf(ElementType(b_, dtype), lanes.count));
  for (int l = 0; l < lanes.valid; ++l) {
    result = b_.ir().CreateInsertElement(result, lane(LanesOf(b_, at, l)), static_cast<uint64_t>(l));
  }
  return result;
}

Value* Argument(Evaluator& e, const relay::Call& call, size_t i, const Coordinates& at, Lanes lanes) {
  const Shape &from = TensorTypeOf(call.args[i]).shape, &to = call.type->shape;
  const size_t added = to.size() - from.size();
  Coordinates source;
  for (size_t d = 0; d < from.size(); ++d) {
    source.push_back(from[d] == 1 && to[added + d] != 1 ? At(e.b(), 0) : at[added + d]);
  }
  return e.Eval(call.args[i], source, lanes);
}

bool IsUnsigned(const relay::Call& call, size_t i) {
  const DType dtype = TensorTypeOf(call.args[i]).dtype;
  return dtype == DType::kUInt8 || dtype == DType::kBool;
}

bool IsFloat(Value* v) { return v->getType()->isFPOrFPVectorTy(); }

Value* Like(Value* v, double c) {
  return IsFloat(v) ? llvm::ConstantFP::get(v->getType(), c)
                    : llvm::ConstantInt::get(v->getType(), static_cast<uint64_t>(static_cast<int64_t>(c)), true);
}

Value* RequireFloat(Value* x, const relay::Call& call) {
  if (x->getType()->getScalarType()->isFloatTy()) return x;
  throw Error(ExitCode::kBadData,
              fmt::format("{} is compiled for float32 only, the argument is {}", relay::AsOp(call.op)->def->name,
                          DTypeName(TensorTypeOf(call.args[0]).dtype)));
}

}  // namespace hone
