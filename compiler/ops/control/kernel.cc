// Copies the result of the branch that a run took. An item is a row: one index of the leading axes.
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/schedules/schedule.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kLeastRow = 512;  // elements of a row, so that an item is worth its start

class ChooseKernel {
 public:
  ChooseKernel(KernelBuilder& b, const relay::Function& function)
      : b_(b), function_(function), type_(*function.body->type) {
    row_ = ElementCount(type_.shape);
    for (const int64_t dim : type_.shape) {
      if (dim < 1 || row_ / dim < kLeastRow) break;
      row_ /= dim;
      ++leading_;
    }
    items_ = row_ == 0 ? 0 : ElementCount(type_.shape) / row_;
  }

  int64_t items() const { return items_; }

  std::vector<StageBox> Boxes() const {
    StageBox box;
    for (int d = 0; d < leading_; ++d) box.axes.push_back({Nth(type_.shape, d), d});
    return leading_ == 0 ? std::vector<StageBox>() : std::vector<StageBox>{box};
  }

  void Emit(const StageArgs& args) {
    const auto operand = [&](size_t argument) { return b_.Operand(args, ParameterOf(function_, argument)); };
    Value* taken = b_.ir().CreateICmpNE(b_.LoadAs(b_.i64(), operand(0)), b_.Index(0));
    Value* from = b_.ir().CreateSelect(taken, operand(1), operand(3));
    Value* to = b_.Operand(args, static_cast<int>(function_.params.size()));
    Value *first = b_.Mul(args.begin, row_), *last = b_.Mul(args.end, row_);
    const int lanes = b_.lanes();
    Value* whole = b_.Add(first, b_.Mul(b_.Div(b_.Sub(last, first), lanes), lanes));
    b_.For(first, whole, lanes, [&](Value* element) { Copy(from, to, element, lanes); });
    b_.For(whole, last, 1, [&](Value* element) { Copy(from, to, element, 1); });
  }

 private:
  void Copy(Value* from, Value* to, Value* element, int lanes) {
    Value* offset = b_.Mul(element, DTypeBytes(type_.dtype));
    b_.Store(LoadElements(b_, type_.dtype, b_.At(from, offset), lanes), b_.At(to, offset));
  }

  KernelBuilder& b_;
  const relay::Function& function_;
  const relay::Type& type_;
  int64_t row_ = 0, items_ = 0;
  int leading_ = 0;  // axes of which an item has one index
};

EmittedKernel EmitChoose(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  ChooseKernel kernel(builder, function);
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.Emit(args); });
  return {{{symbol, kernel.items(), 1, 0}}, 0, kernel.Boxes()};
}

}  // namespace

EmitterTable ControlEmitters() { return {{"choose", EmitChoose}}; }

}  // namespace hone
