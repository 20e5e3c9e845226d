#include "compiler/relay/counted_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#include "compiler/relay/indexing.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone::relay {

namespace {

Tensor FirstAlong(const Tensor& data, int64_t axis, int64_t count) {
  Shape shape = data.shape();
  Nth(shape, axis) = count;
  return Gather(data, shape, OffsetWalk(shape, RowMajorStrides(data.shape())));
}

}  // namespace

std::vector<CountedOutput> CountedOutputs(const Function& main, size_t results) {
  const AttrValue* const value = main.attrs.Find(kCounted);
  if (value == nullptr) return {};
  const auto* const given = std::get_if<std::vector<int64_t>>(value);
  const std::vector<int64_t> numbers = given == nullptr ? std::vector<int64_t>() : *given;
  const auto most = static_cast<int64_t>(results);
  std::vector<CountedOutput> counted;
  bool fits = given != nullptr && numbers.size() % 4 == 0;
  for (size_t i = 0; fits && i < numbers.size(); i += 4) {
    counted.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
    const CountedOutput& last = counted.back();
    fits = last.output >= -1 && last.output < last.count && last.axis >= 0 && last.count < most && last.most >= 0;
  }
  if (fits) return counted;
  throw Error(
      ExitCode::kBadData,
      fmt::format("the attribute {} of @main is {}; it must hold output, axis, count and most of each counted axis, "
                  "of {} results",
                  kCounted, ToText(*value), results));
}

std::vector<int64_t> CountedNumbers(const std::vector<CountedOutput>& counted) {
  std::vector<int64_t> numbers;
  for (const CountedOutput& each : counted) {
    numbers.insert(numbers.end(), {each.output, each.axis, each.count, each.most});
  }
  return numbers;
}

size_t OwnOutputs(const std::vector<CountedOutput>& counted, size_t results) {
  for (const CountedOutput& each : counted) results = std::min(results, static_cast<size_t>(each.count));
  return results;
}

namespace {

using CountName = std::function<std::string(const CountedOutput&)>;

std::string PlaceOf(const CountedOutput& counted) {
  return counted.output < 0 ? "a count"
                            : fmt::format("the count of axis {} of result {}", counted.axis, counted.output);
}

int64_t CheckedCount(const CountedOutput& counted, const Tensor& number, const CountName& name) {
  if (number.dtype() != DType::kInt64 || number.elements() != 1) {
    throw Error(ExitCode::kBadData, fmt::format("result {} of @main is a count; it must be one int64", counted.count));
  }
  const int64_t count = number.data<int64_t>()[0];
  if (count >= 0 && count <= counted.most) return count;
  throw Error(ExitCode::kBadData, fmt::format("{} is {}; it may be {}", name(counted), count,
                                              counted.most == 0 ? "0" : fmt::format("0 to {}", counted.most)));
}

std::vector<Tensor> Trimmed(const std::vector<CountedOutput>& counted, std::vector<Tensor> results,
                            const CountName& name) {
  for (const CountedOutput& each : counted) {
    const int64_t count = CheckedCount(each, Nth(results, each.count), name);
    if (each.output < 0) continue;
    Tensor& output = Nth(results, each.output);
    output = FirstAlong(output, each.axis, count);
  }
  results.resize(OwnOutputs(counted, results.size()));
  return results;
}

}  // namespace

std::string NameOfCount(const IRModule& module, const std::vector<CountedOutput>& counted, size_t result) {
  if (result < module.output_names.size() && !module.output_names[result].empty()) return module.output_names[result];
  const auto of = std::find_if(counted.begin(), counted.end(),
                               [&](const auto& each) { return static_cast<size_t>(each.count) == result; });
  if (of == counted.end() || of->output < 0) return "the count of an axis";
  return fmt::format("the count of axis {} of {}", of->axis, OutputName(module, static_cast<size_t>(of->output)));
}

std::vector<Tensor> TrueOutputs(const Function& main, std::vector<Tensor> results) {
  const std::vector<CountedOutput> counted = CountedOutputs(main, results.size());
  return TrueOutputs(counted, std::move(results));
}

std::vector<Tensor> TrueOutputs(const std::vector<CountedOutput>& counted, std::vector<Tensor> results) {
  return Trimmed(counted, std::move(results), PlaceOf);
}

std::vector<Tensor> TrueOutputs(const IRModule& module, std::vector<Tensor> results) {
  const std::vector<CountedOutput> counted = CountedOutputs(*module.main, results.size());
  return Trimmed(counted, std::move(results), [&](const CountedOutput& each) {
    const auto count = static_cast<size_t>(each.count);
    const bool named = count < module.output_names.size() && !module.output_names[count].empty();
    return named ? module.output_names[count] : PlaceOf(each);
  });
}

}  // namespace hone::relay
