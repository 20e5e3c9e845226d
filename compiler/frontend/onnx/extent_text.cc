#include "compiler/frontend/onnx/extent_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;

constexpr int kDeepest = 12;
// Sums of 2^12 such numbers fit into 64 bits.
constexpr int64_t kMostSummed = int64_t{1} << 50;

std::optional<int64_t> KnownNumber(const ExprPtr& expr) {
  const relay::Constant* constant = relay::AsConstant(expr);
  if (constant == nullptr || IsFloat(constant->value.dtype()) || constant->value.elements() != 1) return std::nullopt;
  return IntegerAt(constant->value, 0);
}

// Null unless the expression calls an operator.
const Call* OperatorCall(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  return call == nullptr || relay::AsOp(call->op) == nullptr ? nullptr : call;
}

std::string_view NameOf(const Call& call) { return relay::AsOp(call.op)->def->name; }

bool KeepsNumber(std::string_view op) { return op == "reshape" || op == "squeeze" || op == "cast"; }
bool IsSum(std::string_view op) { return op == "add" || op == "subtract"; }
bool IsProduct(std::string_view op) { return op == "multiply" || op == "divide" || op == "floor_divide"; }
bool IsChoice(std::string_view op) { return op == "minimum" || op == "maximum"; }

class Writer {
 public:
  // `within`: 0 in a sum, 1 in a product, 2 behind a division.
  std::string Text(const ExprPtr& expr, int within, int depth) {
    if (const auto number = KnownNumber(expr)) return std::to_string(*number);
    if (const relay::Var* var = relay::AsVar(expr)) return relay::DimensionName(*var);
    const Call* call = depth < kDeepest ? OperatorCall(expr) : nullptr;
    if (call == nullptr) return Unknown(expr);
    const std::string_view op = NameOf(*call);
    if (KeepsNumber(op)) return Text(call->args[0], within, depth + 1);
    if (IsChoice(op)) {
      return fmt::format("{}({}, {})", op.substr(0, 3), Text(call->args[0], 0, depth + 1),
                         Text(call->args[1], 0, depth + 1));
    }
    if (IsSum(op)) return Bracketed(Sum(expr, depth), within > 0);
    if (IsProduct(op)) return Bracketed(Product(*call, op, depth), within > 1);
    return Unknown(expr);
  }

 private:
  static std::string Bracketed(const std::string& text, bool apart) { return apart ? "(" + text + ")" : text; }

  std::string Unknown(const ExprPtr& expr) {
    const Call* call = relay::AsCall(expr);
    return call == nullptr || call->name.empty() ? "a number of the run" : fmt::format("a number of '{}'", call->name);
  }

  struct Terms {
    std::string more, less;  // "+ seq", "- width"; each with a blank before it
    int64_t number = 0;
  };

  void AddTerms(const ExprPtr& expr, int sign, int depth, Terms& terms) {
    const Call* call = depth < kDeepest ? OperatorCall(expr) : nullptr;
    const std::string_view op = call == nullptr ? std::string_view() : NameOf(*call);
    const auto number = KnownNumber(expr);
    if (number && *number > -kMostSummed && *number < kMostSummed) {
      terms.number += sign * *number;
    } else if (IsSum(op)) {
      AddTerms(call->args[0], sign, depth + 1, terms);
      AddTerms(call->args[1], op == "add" ? sign : -sign, depth + 1, terms);
    } else {
      std::string text = Text(expr, 1, depth + 1);
      if (text.starts_with("-")) {
        sign = -sign;
        text.erase(0, 1);
      }
      (sign > 0 ? terms.more : terms.less) += (sign > 0 ? " + " : " - ") + text;
    }
  }

  // Terms that are added come first, and the known number last: "seq - 5", but "5 - seq".
  std::string Sum(const ExprPtr& expr, int depth) {
    Terms terms;
    AddTerms(expr, 1, depth, terms);
    if (terms.more.empty() && terms.number > 0) return std::to_string(terms.number) + terms.less;
    std::string text = terms.more + terms.less;
    if (terms.number != 0) text += fmt::format(" {} {}", terms.number < 0 ? '-' : '+', std::abs(terms.number));
    if (text.starts_with(" + ")) return text.substr(3);
    return text.empty() ? "0" : "-" + text.substr(3);
  }

  // Known factors stand first: "2 * seq"; -1 is a sign.
  std::string Product(const Call& call, std::string_view op, int depth) {
    const auto factor = op == "multiply" ? KnownNumber(call.args[1]) : std::nullopt;
    const std::string left = Text(call.args[0], 1, depth + 1);
    if (factor == -1) return "-" + left;
    if (factor) return fmt::format("{} * {}", *factor, left);
    return left + (op == "multiply" ? " * " : " / ") + Text(call.args[1], op == "multiply" ? 1 : 2, depth + 1);
  }
};

}  // namespace

std::string ExtentText(const ExprPtr& scalar) { return Writer().Text(scalar, 0, 0); }

bool FollowsFromDimensions(const ExprPtr& scalar) {
  if (KnownNumber(scalar)) return true;
  if (relay::AsVar(scalar) != nullptr) return scalar->type != nullptr && scalar->type->shape.empty();
  const Call* call = OperatorCall(scalar);
  if (call == nullptr) return false;
  const std::string_view op = NameOf(*call);
  if (KeepsNumber(op)) return FollowsFromDimensions(call->args[0]);
  if (!IsSum(op) && !IsProduct(op) && !IsChoice(op)) return false;
  return FollowsFromDimensions(call->args[0]) && FollowsFromDimensions(call->args[1]);
}

}  // namespace hone
