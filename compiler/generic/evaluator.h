// Emits the value of an expression at given coordinates, for the innermost loop body of a generic kernel.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/generic/operand_access.h"
#include "compiler/relay/expr.h"
#include "core/artifact.h"
#include "core/nth.h"

namespace hone {

class Evaluator;
struct Piece;
struct EmittedKernel;
// Emits one call at coordinates of its result's logical axes.
using CallEmitter = Value* (*)(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes);
// Emits one field of a call that gives a tuple.
using ItemEmitter = Value* (*)(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes);
// Emits a kernel of its own for a function that is one call of its parameters. Such a call cannot be emitted element by
// element.
using WholeEmitter = EmittedKernel (*)(KernelBuilder& builder, const relay::Function& function,
                                       const std::string& symbol);

struct OpEmitter {
  std::string_view op;
  std::variant<CallEmitter, ItemEmitter, WholeEmitter> emit;
};
using EmitterTable = std::vector<OpEmitter>;
// The emitters of all families of operators. Defined with their list, in compiler/ops.
EmitterTable AllEmitters();

// The emitter of an operator, or null if it has none of that kind.
CallEmitter FindEmitter(std::string_view op_name);
ItemEmitter FindItemEmitter(std::string_view op_name);
WholeEmitter FindWholeEmitter(std::string_view op_name);

// One evaluator per emitted stage.
class Evaluator {
 public:
  // Loads the operands' addresses, so it must be called at the stage's start. `operands` are GenericOperands(function).
  Evaluator(KernelBuilder& builder, const relay::Function& function, const std::vector<KernelOperand>& operands,
            const StageArgs& args);

  KernelBuilder& b() { return b_; }
  // The expression's value at its logical coordinates. Elementwise operators may run on lanes past lanes.valid, but
  // memory is never read for them.
  Value* Eval(const relay::ExprPtr& expr, const Coordinates& at, Lanes lanes);
  // Computes the value lane by lane, for operators whose lanes cannot share the work.
  Value* PerLane(Lanes lanes, const Coordinates& at, DType dtype,
                 const std::function<Value*(const Coordinates&)>& lane);
  // The access for flat reads if the expression is a row-major parameter whose images are contiguous; else null.
  const OperandAccess* FlatOperand(const relay::ExprPtr& expr) const;

  // Whether the expression is a parameter whose innermost axis has the coordinate's blocks.
  bool ReadsBlocks(const relay::ExprPtr& expr, const Coordinate& c) const;

  const OperandAccess& Operand(int i) const { return Nth(operands_, i); }
  // Sets the expression's value until ClearKnown, for values computed ahead of the surrounding expression: one for each
  // lane or one for all.
  void SetKnown(const relay::Expr* expr, Value* value) { known_[expr] = value; }
  void ClearKnown() { known_.clear(); }
  // Sets the field in which a concatenation's coordinates are known to lie.
  void SetField(const relay::Expr* concat, int field) { field_[concat] = field; }
  // Forgets everything that was set or computed; for the start of another loop nest.
  void Reset();
  // Reset, then sets what is known of all coordinates of the piece.
  void Enter(const Piece& piece);
  std::optional<int> FieldOf(const relay::Expr* concat) const;
  // Whether every window read at the current coordinates lies inside its input.
  bool interior = false;
  // Whether every window read there lies inside its input along the last axis, regardless of other axes.
  bool columns_inside = false;
  // The nn.pad for which the current coordinates are known to lie within its data, or null.
  const relay::Expr* padded = nullptr;

 private:
  struct Memo {
    Coordinates at;
    Lanes lanes;
    llvm::BasicBlock* block;
    Value* value;
  };
  Value* Compute(const relay::ExprPtr& expr, const Coordinates& at, Lanes lanes);
  Value* EvalItem(const relay::TupleGetItem& item, const Coordinates& at, Lanes lanes);
  Value* EvalConstant(const relay::Constant& constant, const Coordinates& at, Lanes lanes);
  Value* Remembered(const relay::Expr* expr, const Coordinates& at, Lanes lanes) const;

  KernelBuilder& b_;
  std::vector<OperandAccess> operands_;
  std::unordered_map<const relay::Expr*, size_t> param_;
  std::unordered_map<const relay::Expr*, OperandAccess> constant_;
  std::unordered_map<const relay::Expr*, Value*> known_;
  std::unordered_map<const relay::Expr*, int> field_;
  std::unordered_map<const relay::Expr*, std::vector<Memo>> memo_;
};

// Shape, dtype and layout of a typed tensor expression.
const relay::Type& TensorTypeOf(const relay::ExprPtr& expr);
Layout LayoutOf(const relay::Type& type);
// The arguments, with a tuple's fields in place of the tuple.
std::vector<relay::ExprPtr> FlatArgs(const relay::Call& call);

// Argument `i` at the coordinates of the call's result, broadcast by numpy's rules.
Value* Argument(Evaluator& e, const relay::Call& call, size_t i, const Coordinates& at, Lanes lanes);
// LLVM's binary operator on both arguments, lane by lane.
template <llvm::Instruction::BinaryOps kOp>
Value* Combine(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return e.b().ir().CreateBinOp(kOp, x, y);
}
// Whether argument `i` has an unsigned dtype; bool counts as unsigned.
bool IsUnsigned(const relay::Call& call, size_t i = 0);
bool IsFloat(Value* v);
// The number in every lane, with the type of `v`.
Value* Like(Value* v, double c);
// The value itself. Throws Error(kBadData) naming the operator if it is not float32.
Value* RequireFloat(Value* x, const relay::Call& call);

}  // namespace hone
