// couple_pairs as a kernel of its own: its iteration ends where the numbers say so. An item is a row, whose Q and Qp
// lie in the worker's workspace:
//
//    workspace   | Q, classes x classes ...... | Qp | whether a step is left |
//
// Sums are in the reference's order, so that a row takes as many steps.
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/classical/op_coupling.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

constexpr int64_t kCouplingBytes = 4;

class CouplingKernel {
 public:
  CouplingKernel(KernelBuilder& b, int64_t pairs)
      : b_(b), pairs_(pairs), classes_(relay::ClassesOfPairs(pairs)), row_bytes_(classes_ * kCouplingBytes) {}

  int64_t workspace_bytes() const { return (classes_ + 1) * row_bytes_ + kCouplingBytes; }

  void Emit(const StageArgs& args, Value* data, Value* result) {
    q_ = b_.WorkerWorkspace(args);
    qp_ = b_.At(q_, classes_ * row_bytes_);
    left_ = b_.At(qp_, row_bytes_);
    b_.For(args.begin, args.end, 1, [&](Value* row) {
      p_ = b_.At(result, b_.Mul(row, row_bytes_));
      Begin(b_.At(data, b_.Mul(row, pairs_ * kCouplingBytes)));
      b_.For(0, relay::kMostCouplingSteps, 1,
             [&](Value*) { b_.If(b_.ir().CreateFCmpUNE(b_.Load(left_), b_.Float(0)), [&] { StepUnlessBalanced(); }); });
    });
  }

 private:
  Value* Of(Value* list, Value* i) { return b_.At(list, b_.Mul(i, kCouplingBytes)); }
  Value* RowOfQ(Value* i) { return b_.At(q_, b_.Mul(i, row_bytes_)); }
  void AddTo(Value* address, Value* x) { b_.Store(b_.FAdd(b_.Load(address), x), address); }

  void Begin(Value* pairs) {
    b_.For(0, classes_ * classes_, 1, [&](Value* i) { b_.Store(b_.Float(0), Of(q_, i)); });
    b_.For(0, classes_, 1, [&](Value* i) { b_.Store(b_.Float(1 / static_cast<float>(classes_)), Of(p_, i)); });
    b_.Store(b_.Float(1), left_);
    Value *every = b_.Index(classes_), *begin = b_.Index(0);
    b_.Loop(begin, every, 1, {begin}, [&](Value* i, const Vals& outer) {
      return b_.Loop(b_.Add(i, 1), every, 1, outer, [&](Value* j, const Vals& pair) -> Vals {
        Value *first = b_.Load(Of(pairs, pair[0])), *second = b_.FSub(b_.Float(1), first);
        AddTo(Of(RowOfQ(i), i), b_.FMul(second, second));
        AddTo(Of(RowOfQ(j), j), b_.FMul(first, first));
        Value* both = b_.FSub(b_.Float(0), b_.FMul(second, first));
        b_.Store(both, Of(RowOfQ(i), j));
        b_.Store(both, Of(RowOfQ(j), i));
        return {b_.Add(pair[0], 1)};
      });
    });
  }

  // Q p of a row.
  Value* Product(Value* row) {
    return b_.Loop(0, classes_, 1, {b_.Float(0)}, [&](Value* j, const Vals& sum) -> Vals {
      return {b_.FAdd(sum[0], b_.FMul(b_.Load(Of(row, j)), b_.Load(Of(p_, j))))};
    })[0];
  }

  void StepUnlessBalanced() {
    Value* pqp = b_.Loop(0, classes_, 1, {b_.Float(0)}, [&](Value* i, const Vals& sum) -> Vals {
      Value* product = Product(RowOfQ(i));
      b_.Store(product, Of(qp_, i));
      return {b_.FAdd(sum[0], b_.FMul(b_.Load(Of(p_, i)), product))};
    })[0];
    Value* most = b_.Loop(0, classes_, 1, {b_.Float(0)}, [&](Value* i, const Vals& held) -> Vals {
      Value* apart = b_.FSub(b_.Load(Of(qp_, i)), pqp);
      Value* size = b_.ir().CreateSelect(b_.ir().CreateFCmpOLT(apart, b_.Float(0)), b_.FSub(b_.Float(0), apart), apart);
      return {b_.ir().CreateSelect(b_.ir().CreateFCmpOGT(size, held[0]), size, held[0])};
    })[0];
    Value* balanced = b_.ir().CreateFCmpOLT(most, b_.Float(relay::kCouplingError / static_cast<float>(classes_)));
    b_.If(balanced, [&] { b_.Store(b_.Float(0), left_); }, [&] { Step(pqp); });
  }

  void Step(Value* pqp) {
    b_.Loop(0, classes_, 1, {pqp}, [&](Value* i, const Vals& held) -> Vals {
      Value *row = RowOfQ(i), *own = b_.Load(Of(row, i)), *product = b_.Load(Of(qp_, i));
      Value *move = b_.FDiv(b_.FSub(held[0], product), own), *whole = b_.FAdd(b_.Float(1), move);
      AddTo(Of(p_, i), move);
      b_.For(0, classes_, 1, [&](Value* j) {
        Value *to = Of(qp_, j), *p = Of(p_, j);
        b_.Store(b_.FDiv(b_.FAdd(b_.Load(to), b_.FMul(move, b_.Load(Of(row, j)))), whole), to);
        b_.Store(b_.FDiv(b_.Load(p), whole), p);
      });
      Value* change = b_.FMul(move, b_.FAdd(b_.FMul(move, own), b_.FMul(b_.Float(2), product)));
      return {b_.FDiv(b_.FDiv(b_.FAdd(held[0], change), whole), whole)};
    });
  }

  KernelBuilder& b_;
  const int64_t pairs_, classes_, row_bytes_;
  Value *q_ = nullptr, *qp_ = nullptr, *left_ = nullptr, *p_ = nullptr;  // addresses
};

EmittedKernel EmitCoupling(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const Shape shape = TensorTypeOf(WholeCallOf(function)->args[0]).shape;
  CouplingKernel kernel(builder, shape[1]);
  builder.Stage(symbol, [&](const StageArgs& args) {
    kernel.Emit(args, builder.Operand(args, ParameterOf(function, 0)),
                builder.Operand(args, static_cast<int>(function.params.size())));
  });
  return {{{symbol, shape[0], 1, kernel.workspace_bytes()}}, 0};
}

}  // namespace

EmitterTable ClassicalEmitters() { return {{"couple_pairs", EmitCoupling}}; }

}  // namespace hone
