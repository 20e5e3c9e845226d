#include "compiler/relay/ranged_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "compiler/relay/indexing.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone::relay {

std::vector<RangedInput> RangedInputs(const Function& main) {
  const AttrValue* const value = main.attrs.Find(kRanged);
  if (value == nullptr) return {};
  const auto* const given = std::get_if<std::vector<int64_t>>(value);
  const std::vector<int64_t> numbers = given == nullptr ? std::vector<int64_t>() : *given;
  const auto params = static_cast<int64_t>(main.params.size());
  std::vector<RangedInput> ranged;
  bool fits = given != nullptr && numbers.size() % 4 == 0;
  for (size_t i = 0; fits && i < numbers.size(); i += 4) {
    ranged.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
    const RangedInput& last = ranged.back();
    fits = last.input >= 0 && last.input < last.extent && last.extent < params && last.axis >= 0 && last.least >= 0;
  }
  if (fits) return ranged;
  throw Error(ExitCode::kBadData,
              fmt::format("the attribute {} of @main is {}; it must hold input, axis, extent and least of each ranged "
                          "axis, of {} parameters",
                          kRanged, ToText(*value), params));
}

std::vector<int64_t> RangedNumbers(const std::vector<RangedInput>& ranged) {
  std::vector<int64_t> numbers;
  for (const RangedInput& each : ranged) {
    numbers.insert(numbers.end(), {each.input, each.axis, each.extent, each.least});
  }
  return numbers;
}

bool IsExtent(const std::vector<RangedInput>& ranged, int64_t param) {
  return std::any_of(ranged.begin(), ranged.end(), [&](const RangedInput& each) { return each.extent == param; });
}

namespace {

constexpr std::string_view kTail = " (extent)";

}  // namespace

std::string DimensionName(const Var& extent) {
  std::string_view name = extent.name;
  while (name.ends_with(kTail)) name.remove_suffix(kTail.size());
  return std::string(name);
}

std::string ExtentParamName(std::string dimension, const std::function<bool(const std::string&)>& is_taken) {
  while (is_taken(dimension)) dimension += kTail;
  return dimension;
}

namespace {

// Copies the data to the first elements along each axis of zeros.
Tensor Grown(const Tensor& data, const Shape& shape) {
  Tensor grown(data.dtype(), shape);
  const int64_t bytes = DTypeBytes(data.dtype());
  const auto* from = static_cast<const char*>(data.raw());
  auto* const to = static_cast<char*>(grown.raw());
  OffsetWalk walk(data.shape(), RowMajorStrides(shape));
  for (int64_t i = 0; i < data.elements(); ++i, from += bytes) std::copy(from, from + bytes, to + walk.Next() * bytes);
  return grown;
}

// The extent of an axis in the input. Throws unless it is in the range and equal to `known`, which an earlier axis set.
int64_t ExtentIn(const Function& main, const RangedInput& axis, const Tensor& input, const Tensor* known) {
  const std::string dimension = DimensionName(*Nth(main.params, axis.extent));
  const Var& param = *Nth(main.params, axis.input);
  const int64_t extent = Nth(input.shape(), axis.axis), most = Nth(param.type->shape, axis.axis);
  if (extent < axis.least || extent > most) {
    throw Error(ExitCode::kBadData, fmt::format("input '{}': the dimension {} is {}; it may be {} to {}", param.name,
                                                dimension, extent, axis.least, most));
  }
  if (known != nullptr && IntegerAt(*known, 0) != extent) {
    throw Error(ExitCode::kBadData,
                fmt::format("the dimension {} is {} in '{}' and {} in another input; it is one number", dimension,
                            extent, param.name, IntegerAt(*known, 0)));
  }
  return extent;
}

}  // namespace

std::map<std::string, Tensor> FullInputs(const Function& main, std::map<std::string, Tensor> given) {
  std::map<std::string, Shape> full;
  for (const RangedInput& axis : RangedInputs(main)) {
    const Var& param = *Nth(main.params, axis.input);
    const auto input = given.find(param.name);
    if (input == given.end() || input->second.shape().size() != param.type->shape.size()) continue;
    const std::string& dimension = Nth(main.params, axis.extent)->name;
    const auto known = given.find(dimension);
    const int64_t extent = ExtentIn(main, axis, input->second, known == given.end() ? nullptr : &known->second);
    given.insert_or_assign(dimension, Tensor::FromVector<int64_t>(DType::kInt64, {}, {extent}));
    Shape& shape = full.try_emplace(param.name, input->second.shape()).first->second;
    Nth(shape, axis.axis) = Nth(param.type->shape, axis.axis);
  }
  for (const auto& [name, shape] : full) given.insert_or_assign(name, Grown(given.at(name), shape));
  return given;
}

}  // namespace hone::relay
