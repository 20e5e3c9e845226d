#include "compiler/passes/graph/extent_values.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "compiler/passes/graph/extent_origin.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/ranged_inputs.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::Expr;
using relay::ExprPtr;

namespace {

// A dimension of more extents is not looked at.
constexpr int64_t kMostExtents = 1 << 14;

std::optional<int64_t> Result(std::string_view op, int64_t a, int64_t b) {
  if (op == "add") return a + b;
  if (op == "subtract") return a - b;
  if (op == "multiply") return a * b;
  if (op == "maximum") return std::max(a, b);
  if (op == "minimum") return std::min(a, b);
  // Both round alike where neither side is below 0.
  if ((op == "divide" || op == "floor_divide") && a >= 0 && b > 0) return a / b;
  return std::nullopt;
}

int64_t PositionsAt(const NeededPositions& needed, int64_t extent) {
  return CeilDiv(std::max<int64_t>(0, extent * needed.scale + needed.plus), needed.step);
}

}  // namespace

ExtentValues::ExtentValues(const relay::Function& main) {
  if (main.attrs.Find(relay::kRanged) == nullptr) return;
  for (const relay::RangedInput& each : relay::RangedInputs(main)) {
    const int64_t most = Nth(Nth(main.params, each.input)->type->shape, each.axis), count = most - each.least + 1;
    if (count < 1 || count > kMostExtents) continue;
    std::vector<int64_t>& extents = dimensions_[Nth(main.params, each.extent).get()];
    extents.resize(static_cast<size_t>(count));
    std::iota(extents.begin(), extents.end(), each.least);
  }
}

const ExtentValues::Known& ExtentValues::ValuesOf(const ExprPtr& scalar) {
  const auto known = known_.find(scalar.get());
  if (known != known_.end()) return known->second;
  Known values = Evaluate(scalar, nullptr);
  return known_[scalar.get()] = std::move(values);
}

// `arguments` are those of the function that is evaluated; null stands for @main.
ExtentValues::Known ExtentValues::Evaluate(const ExprPtr& scalar, const Arguments* arguments) {
  if (arguments != nullptr) {
    const auto argument = arguments->find(scalar.get());
    if (argument != arguments->end()) return ValuesOf(argument->second);
  }
  if (const auto dimension = dimensions_.find(scalar.get()); dimension != dimensions_.end()) {
    return Values{1, {{dimension->first, dimension->second}}};
  }
  if (const relay::Constant* constant = relay::AsConstant(scalar)) {
    if (constant->value.elements() != 1 || constant->value.dtype() != DType::kInt64) return std::nullopt;
    return Values{IntegerAt(constant->value, 0), {}};
  }
  const Call* call = relay::AsCall(scalar);
  if (call == nullptr) return std::nullopt;
  if (const relay::Function* function = FunctionOf(scalar)) {
    const Arguments inner = ArgumentsOf(*call, *function);
    return Evaluate(function->body, &inner);
  }
  return EvaluateCall(*call, arguments);
}

ExtentValues::Known ExtentValues::EvaluateCall(const Call& call, const Arguments* arguments) {
  const std::string_view op = OpName(call);
  const auto of = [&](size_t i) {
    return arguments == nullptr ? ValuesOf(call.args[i]) : Evaluate(call.args[i], arguments);
  };
  if (KeepsElements(op) || (op == "cast" && call.type->dtype == DType::kInt64)) return of(0);
  if (call.args.size() != 2) return std::nullopt;
  const Known a = of(0), b = a ? of(1) : std::nullopt;
  return b ? Combined(op, *a, *b) : std::nullopt;
}

// Products may be of several dimensions, other results of one.
ExtentValues::Known ExtentValues::Combined(std::string_view op, const Values& a, const Values& b) {
  Values result = a;
  if (op == "multiply") {
    result.constant *= b.constant;
    for (const auto& [dimension, values] : b.factors) {
      const auto [mine, is_new] = result.factors.try_emplace(dimension, values);
      for (size_t i = 0; !is_new && i < values.size(); ++i) mine->second[i] *= values[i];
    }
    return result;
  }
  result.factors.insert(b.factors.begin(), b.factors.end());
  if (result.factors.size() > 1) return std::nullopt;
  const auto at = [](const Values& of, size_t i) {
    return of.constant * (of.factors.empty() ? 1 : of.factors.begin()->second[i]);
  };
  std::vector<int64_t> numbers(result.factors.empty() ? 1 : result.factors.begin()->second.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = Result(op, at(a, i), at(b, i));
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  result.constant = result.factors.empty() ? numbers[0] : 1;
  if (!result.factors.empty()) result.factors.begin()->second = std::move(numbers);
  return result;
}

std::optional<int64_t> ExtentValues::Beyond(const NeededPositions& a, const NeededPositions& b) {
  const bool alike = a.scale == b.scale && a.step == b.step;
  if (alike && a.extent == b.extent) return CeilDiv(b.plus - a.plus, a.step);
  const Known &of_a = ValuesOf(a.extent), &of_b = of_a ? ValuesOf(b.extent) : of_a;
  if (!of_b || of_a->factors.size() != of_b->factors.size()) return std::nullopt;
  bool is_most = of_a->constant >= of_b->constant && of_b->constant >= 0;
  for (const auto& [dimension, values] : of_a->factors) {
    const auto others = of_b->factors.find(dimension);
    if (others == of_b->factors.end()) return std::nullopt;
    is_most = is_most && std::equal(values.begin(), values.end(), others->second.begin(),
                                    [](int64_t mine, int64_t other) { return mine >= other && other >= 0; });
  }
  if (alike && is_most) return CeilDiv(b.plus - a.plus, a.step);
  if (of_a->factors.size() != 1) return std::nullopt;
  const std::vector<int64_t>&values = of_a->factors.begin()->second, &others = of_b->factors.begin()->second;
  int64_t most = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < values.size(); ++i) {
    most = std::max(most, PositionsAt(b, of_b->constant * others[i]) - PositionsAt(a, of_a->constant * values[i]));
  }
  return most;
}

std::optional<NeededPositions> ExtentValues::Cover(const NeededPositions& a, const NeededPositions& b) {
  const auto more = Beyond(a, b);
  if (!more) return std::nullopt;
  if (*more <= 0) return a;
  const int64_t less = Beyond(b, a).value_or(*more);
  NeededPositions cover = less < *more ? b : a;
  cover.plus += std::max<int64_t>(0, std::min(less, *more)) * cover.step;
  return cover;
}

const NeededPositions& ExtentValues::Lesser(const NeededPositions& a, const NeededPositions& b) {
  const auto more = Beyond(a, b);
  return more && *more <= 0 ? b : a;
}

}  // namespace hone
