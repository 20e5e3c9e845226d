#include "compiler/relay/state_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/ranged_inputs.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

std::vector<int64_t> NumbersOf(const Function& main) {
  const AttrValue* const value = main.attrs.Find(kStates);
  if (value == nullptr) return {};
  const auto* const numbers = std::get_if<std::vector<int64_t>>(value);
  if (numbers != nullptr && numbers->size() % 2 == 0) return *numbers;
  throw Error(ExitCode::kBadData,
              fmt::format("the attribute {} of @main is {}; it must hold the parameter and the result of each state",
                          kStates, ToText(*value)));
}

class StatesOfMain {
 public:
  StatesOfMain(const Function& main, const std::vector<TypePtr>& results)
      : main_(main),
        results_(results),
        ranged_(RangedInputs(main)),
        counted_(CountedOutputs(main, results.size())),
        own_(OwnOutputs(counted_, results.size())) {}

  std::vector<StateValue> All() const {
    const std::vector<int64_t> numbers = NumbersOf(main_);
    std::vector<StateValue> states;
    for (size_t i = 0; i < numbers.size(); i += 2) {
      const StateValue state = One(numbers[i], numbers[i + 1]);
      for (const StateValue& other : states) {
        const bool twice = other.input == state.input || other.output == state.output;
        Require(!twice, state.input, "it, or its result, is listed twice");
        const bool apart = state.axis >= 0 && other.extent == state.extent && other.count != state.count;
        Require(!apart, state.input, "it grows otherwise than a state of the same dimension");
      }
      states.push_back(state);
    }
    return states;
  }

 private:
  void Require(bool holds, int64_t input, const std::string& why) const {
    if (holds) return;
    throw Error(ExitCode::kBadData, fmt::format("\"{}\" cannot be a state: {}", Nth(main_.params, input)->name, why));
  }

  StateValue One(int64_t input, int64_t output) const {
    const bool there = input >= 0 && input < std::ssize(main_.params) && !IsExtent(ranged_, input) && output >= 0 &&
                       output < static_cast<int64_t>(own_);
    if (!there) {
      throw Error(ExitCode::kBadData,
                  fmt::format("the attribute {} of @main names parameter {} and result {}; there are {} and {}",
                              kStates, input, output, main_.params.size(), own_));
    }
    StateValue state{input, output};
    for (const RangedInput& each : ranged_) {
      if (each.input != input) continue;
      if (state.axis >= 0) {
        const auto name = [&](int64_t extent) { return DimensionName(*Nth(main_.params, extent)); };
        Require(false, input,
                fmt::format("two of its dimensions are free, {} and {}; --dim fixes one", name(state.extent),
                            name(each.extent)));
      }
      Require(each.least == 0, input, "it must begin empty, with a least extent of 0");
      state.axis = each.axis;
      state.extent = each.extent;
    }
    CheckTypes(state);
    state.count = CountOf(state);
    return state;
  }

  void CheckTypes(const StateValue& state) const {
    const Type &from = *Nth(main_.params, state.input)->type, &to = *Nth(results_, state.output);
    Shape expected = from.shape;
    const bool grows = state.axis >= 0 && to.shape.size() == from.shape.size();
    if (grows) Nth(expected, state.axis) = Nth(to.shape, state.axis);
    const bool fits = to.kind == TypeKind::kTensor && to.dtype == from.dtype && to.shape == expected;
    Require(fits, state.input,
            fmt::format("its result is {}, and it is {}", ToText(results_[state.output]),
                        ToText(Nth(main_.params, state.input)->type)));
  }

  // The result with the positions after a run. A run must fail if these are more than the parameter holds.
  int64_t CountOf(const StateValue& state) const {
    int64_t count = -1;
    for (const CountedOutput& each : counted_) {
      if (each.output != state.output) continue;
      Require(each.axis == state.axis, state.input,
              fmt::format("axis {} of its result has no fixed extent", each.axis));
      count = each.count;
    }
    if (state.axis < 0) return -1;
    Require(count >= 0, state.input, "its result does not grow with it");
    const int64_t most = Nth(Nth(main_.params, state.input)->type->shape, state.axis);
    const bool limited = std::any_of(counted_.begin(), counted_.end(), [&](const CountedOutput& each) {
      return each.output == -1 && each.count == count && each.most == most;
    });
    Require(limited, state.input, fmt::format("`counted` lacks -1, 0, {}, {}: a run must not outgrow it", count, most));
    return count;
  }

  const Function& main_;
  const std::vector<TypePtr>& results_;
  std::vector<RangedInput> ranged_;
  std::vector<CountedOutput> counted_;
  size_t own_;
};

}  // namespace

std::vector<int64_t> StateNumbers(const std::vector<StateValue>& states) {
  std::vector<int64_t> numbers;
  for (const StateValue& each : states) numbers.insert(numbers.end(), {each.input, each.output});
  return numbers;
}

std::vector<StateValue> StateValues(const Function& main, const std::vector<TypePtr>& results) {
  return StatesOfMain(main, results).All();
}

std::vector<int64_t> StateResults(const Function& main) {
  const std::vector<int64_t> numbers = NumbersOf(main);
  std::vector<int64_t> results;
  for (size_t i = 1; i < numbers.size(); i += 2) results.push_back(numbers[i]);
  return results;
}

IRModule WithoutStateResults(const IRModule& module) {
  const std::vector<int64_t> states = StateResults(*module.main);
  const Tuple* tuple = AsTuple(module.main->body);
  if (states.empty() || tuple == nullptr) return module;
  IRModule changed = module;
  changed.output_names.clear();
  std::vector<ExprPtr> kept;
  std::vector<int64_t> places;  // of each result among those that are kept
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    const bool is_state = std::count(states.begin(), states.end(), static_cast<int64_t>(i)) > 0;
    places.push_back(is_state ? -1 : std::ssize(kept));
    if (is_state) continue;
    kept.push_back(tuple->fields[i]);
    changed.output_names.push_back(i < module.output_names.size() ? module.output_names[i] : "");
  }
  std::vector<CountedOutput> counted = CountedOutputs(*module.main, tuple->fields.size());
  std::erase_if(counted, [&](const CountedOutput& each) { return each.output >= 0 && Nth(places, each.output) < 0; });
  for (CountedOutput& each : counted) {
    if (each.output >= 0) each.output = Nth(places, each.output);
    each.count = Nth(places, each.count);
  }
  Attrs attrs = module.main->attrs;
  attrs.Set(std::string(kCounted), CountedNumbers(counted));
  attrs.Set(std::string(kStates), std::vector<int64_t>());
  const ExprPtr body = kept.size() == 1 ? kept[0] : MakeTuple(kept);
  changed.main = std::make_shared<const Function>(module.main->params, body, std::move(attrs));
  return InferType(changed);
}

}  // namespace hone::relay
