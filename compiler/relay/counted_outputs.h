// Results of @main with data-dependent extents. The type holds the greatest possible extent. The actual extent is a
// further result of @main, after those of the model.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The attribute of @main: four integers for each CountedOutput, in the order of its members.
inline constexpr std::string_view kCounted = "counted";

struct CountedOutput {
  int64_t output = -1;  // number of the result of @main; -1: none, the count is only checked
  int64_t axis = 0;
  int64_t count = 0;  // number of the result of @main that holds the count: one int64
  int64_t most = 0;   // greatest count; the result's dim, if there is a result
};

// Throws Error(kBadData) if the attribute does not fit `results` results.
std::vector<CountedOutput> CountedOutputs(const Function& main, size_t results);
// The attribute's value, as CountedOutputs reads it.
std::vector<int64_t> CountedNumbers(const std::vector<CountedOutput>& counted);
// Number of results that are the model's own.
size_t OwnOutputs(const std::vector<CountedOutput>& counted, size_t results);

// The name of result `result` of @main, which is a count, for the error that it is too large.
std::string NameOfCount(const IRModule& module, const std::vector<CountedOutput>& counted, size_t result);

// The model's own outputs: @main's results without the counts, cut to the counted extents. Throws Error(kBadData) if a
// count is outside the range of the type.
std::vector<Tensor> TrueOutputs(const std::vector<CountedOutput>& counted, std::vector<Tensor> results);
// As TrueOutputs, naming what is counted as the module does.
std::vector<Tensor> TrueOutputs(const IRModule& module, std::vector<Tensor> results);
std::vector<Tensor> TrueOutputs(const Function& main, std::vector<Tensor> results);

}  // namespace hone::relay
