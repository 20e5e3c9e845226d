#include "compiler/passes/graph/whole_epilogue.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

using Next = std::function<ExprPtr(const ExprPtr&)>;
using Own = std::function<bool(const ExprPtr&)>;

// A scalar that is part of the kernel, not an operand: a constant of no dimensions.
std::optional<float> NumberIn(const Call& call, size_t arg) {
  const relay::Constant* constant = relay::AsConstant(call.args[arg]);
  if (constant == nullptr || constant->value.dtype() != DType::kFloat32 || !constant->value.shape().empty()) return {};
  return static_cast<float>(constant->value.At(0));
}

std::optional<int> WholeIn(const Call& call, size_t arg) {
  const auto number = NumberIn(call, arg);
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kLargestByte) return std::nullopt;
  return static_cast<int>(*number);
}

bool IsCast(const ExprPtr& expr, DType to, DType from) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  return cast != nullptr && expr->type->dtype == to && cast->args[0]->type->dtype == from;
}

class Reader {
 public:
  Reader(const ExprPtr& product, const Next& next, const Own& own) : now_(product), next_(next), own_(own) {}

  WholeEpilogue Read() {
    Offset();
    if (!Step([](const ExprPtr& step) { return IsCast(step, DType::kFloat32, DType::kInt32); })) {
      return {{}, DType::kInt32, {}};
    }
    Keep();
    Scale();
    Hold();
    Bias();
    Residual();
    Activation();
    Quantise();
    return kept_;
  }

 private:
  // Reads the next call if it is wanted. Only Keep makes the steps read so far permanent.
  bool Step(const std::function<bool(const ExprPtr&)>& wanted) {
    const ExprPtr step = next_(now_);
    const bool tensor =
        step != nullptr && relay::AsCall(step) != nullptr && step->type->kind == relay::TypeKind::kTensor;
    if (!tensor || ShapeOf(step) != ShapeOf(now_) || !wanted(step)) return false;
    read_.steps.push_back(step);
    now_ = step;
    return true;
  }
  // Takes a step that is a call of that operator whose first argument is the value so far.
  const Call* StepTo(std::string_view op) {
    const bool is = Step([&](const ExprPtr& step) {
      const Call* call = relay::AsCallTo(step, op);
      return call != nullptr && call->args[0] == now_;
    });
    return is ? relay::AsCall(now_) : nullptr;
  }
  void Keep() {
    kept_ = read_;
    kept_now_ = now_;
  }
  void Back() {
    read_ = kept_;
    now_ = kept_now_;
  }

  bool BiasOf(DType dtype) {
    if (IsBatch()) return false;
    return Step([&](const ExprPtr& step) {
      const Call* add = relay::AsCallTo(step, "nn.bias_add");
      if (add == nullptr || add->args[0] != now_ || add->attrs.GetInt("axis", 1) != 1) return false;
      return add->args[1]->type->dtype == dtype;
    });
  }

  // Whether it is a product of computed matrices. Their epilogues hold only scalars.
  bool IsBatch() const { return ShapeOf(now_).size() == 3; }

  void Offset() { read_.epilogue.offset = BiasOf(DType::kInt32); }

  void Scale() {
    const bool scales = Step([&](const ExprPtr& step) {
      const Call* multiply = relay::AsCallTo(step, "multiply");
      if (multiply == nullptr || multiply->args[0] != now_) return false;
      const bool image = ShapeOf(now_).size() == 4;
      return ShapeOf(multiply->args[1]) == (image ? Shape{ShapeOf(now_)[1], 1, 1} : Shape{ShapeOf(now_).back()});
    });
    if (!scales) return;
    read_.epilogue.scale = true;
    Keep();
  }

  // Reads a cast to bytes and back. It changes nothing, because the bytes hold all these integers.
  bool ThereAndBack(double low, double high) {
    int zero = 0;
    if (const Call* add = StepTo("add")) zero = WholeIn(*add, 1).value_or(-1);
    if (zero < 0 || low + zero < 0 || high + zero > kLargestByte) return false;
    if (!Step([](const ExprPtr& step) { return IsCast(step, DType::kUInt8, DType::kFloat32); })) return false;
    if (!Step([](const ExprPtr& step) { return IsCast(step, DType::kFloat32, DType::kUInt8); })) return false;
    if (zero == 0) return true;
    const Call* subtract = StepTo("subtract");
    return subtract != nullptr && WholeIn(*subtract, 1) == zero;
  }

  void Hold() {
    if (!read_.epilogue.scale || StepTo("round") == nullptr) return Back();
    const Call* clip = StepTo("clip");
    if (clip == nullptr) return Back();
    const double low = clip->attrs.GetFloat("a_min"), high = clip->attrs.GetFloat("a_max");
    const ExprPtr clipped = now_;
    const std::vector<ExprPtr> steps = read_.steps;
    if (!ThereAndBack(low, high)) {
      now_ = clipped;
      read_.steps = steps;
    }
    const Call* multiply = StepTo("multiply");
    const auto by = multiply != nullptr ? NumberIn(*multiply, 1) : std::nullopt;
    if (!by || !(*by > 0) || !std::isfinite(low) || !std::isfinite(high)) return Back();
    read_.epilogue.hold = {static_cast<float>(low), static_cast<float>(high), *by};
    Keep();
  }

  void Bias() {
    if (!BiasOf(DType::kFloat32)) return;
    read_.epilogue.bias = true;
    Keep();
  }

  // Reads the other operand of the sum: floats as they are, or floats decoded from bytes here. A residual of floats
  // needs an output of floats, one of bytes an output of bytes, which is known only at the end.
  void Residual() {
    if (IsBatch()) return;
    const ExprPtr before = now_;
    const std::vector<ExprPtr> steps = read_.steps;
    if (!Step([&](const ExprPtr& step) { return relay::AsCallTo(step, "add") != nullptr; })) return;
    const Call& add = *relay::AsCall(now_);
    const ExprPtr& other = add.args[0] == before ? add.args[1] : add.args[0];
    if (other == before || ShapeOf(other) != ShapeOf(before) || relay::AsConstant(other) != nullptr) return Back();
    read_.steps = steps;
    const bool bytes = ResidualOfBytes(other);
    read_.steps.push_back(now_);
    read_.epilogue.residual = true;
    if (!bytes) {
      Keep();
      return;
    }
    pending_ = true;
  }

  bool ResidualOfBytes(const ExprPtr& other) {
    std::vector<ExprPtr> steps{other};
    const Call* multiply = relay::AsCallTo(other, "multiply");
    const auto scale = multiply != nullptr ? NumberIn(*multiply, 1) : std::nullopt;
    if (!scale || !(*scale > 0)) return false;
    ExprPtr whole = multiply->args[0];
    int zero = 0;
    if (const Call* subtract = relay::AsCallTo(whole, "subtract")) {
      const auto by = WholeIn(*subtract, 1);
      if (!by) return false;
      zero = *by;
      steps.push_back(whole);
      whole = subtract->args[0];
    }
    if (!IsCast(whole, DType::kFloat32, DType::kUInt8)) return false;
    steps.push_back(whole);
    for (const ExprPtr& step : steps) {
      if (!own_(step)) return false;
    }
    read_.steps.insert(read_.steps.end(), steps.rbegin(), steps.rend());
    read_.epilogue.residual_scale = *scale;
    read_.epilogue.residual_zero = zero;
    return true;
  }

  void KeepUnlessPending() {
    if (!pending_) Keep();
  }

  void Activation() {
    Epilogue with = read_.epilogue;
    if (!Step([&](const ExprPtr& step) { return SetActivation(step, with); })) return;
    read_.epilogue = with;
    KeepUnlessPending();
  }

  bool ZeroPoint() {
    const Call* add = StepTo("add");
    if (add != nullptr) read_.epilogue.zero_point = WholeIn(*add, 1).value_or(-1);
    return add != nullptr;
  }

  void Quantise() {
    if (read_.epilogue.residual && !pending_) return;
    Epilogue& epilogue = read_.epilogue;
    epilogue.step = 1;
    if (const Call* divide = StepTo("divide")) epilogue.step = NumberIn(*divide, 1).value_or(0);
    if (!(epilogue.step > 0) || StepTo("round") == nullptr) return Back();
    const bool shifted = ZeroPoint();
    const Call* clip = StepTo("clip");
    if (clip == nullptr) return Back();
    const double zero = epilogue.zero_point;
    const double low = clip->attrs.GetFloat("a_min") - zero, high = clip->attrs.GetFloat("a_max") - zero;
    if (!shifted) ZeroPoint();
    if (epilogue.zero_point < 0 || low != -epilogue.zero_point || high + epilogue.zero_point > kLargestByte ||
        high <= low || std::trunc(high) != high)
      return Back();
    const auto most = static_cast<int>(high) + epilogue.zero_point;
    epilogue.most = most == kLargestByte ? 0 : most;
    if (!Step([](const ExprPtr& step) { return IsCast(step, DType::kUInt8, DType::kFloat32); })) return Back();
    read_.output = DType::kUInt8;
    Keep();
  }

  ExprPtr now_, kept_now_;
  const Next& next_;
  const Own& own_;
  WholeEpilogue read_, kept_;
  bool pending_ = false;  // a residual of bytes, which is kept only if the output is bytes
};

}  // namespace

WholeEpilogue ReadWholeEpilogue(const ExprPtr& product, const Next& next, const Own& own) {
  return Reader(product, next, own).Read();
}

}  // namespace hone
