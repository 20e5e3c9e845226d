// Results of @main whose extents are counted when it runs. Types hold the most that can come; how many there are is a
// further result of @main, behind those of the model.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The attribute of @main: four numbers for each CountedOutput, in the order of its members.
inline constexpr std::string_view kCounted = "counted";

struct CountedOutput {
  int64_t output = -1;  // which result of @main; -1: none, the count is only checked
  int64_t axis = 0;
  int64_t count = 0;  // which result of @main holds it: one int64
  int64_t most = 0;   // the result's dim, where it is one
};

// Throws Error(kBadData) when the attribute does not fit `results` results.
std::vector<CountedOutput> CountedOutputs(const Function& main, size_t results);
// The attribute's value.
std::vector<int64_t> CountedNumbers(const std::vector<CountedOutput>& counted);
// How many of the results are the model's own.
size_t OwnOutputs(const std::vector<CountedOutput>& counted, size_t results);

// What @main gave, as the model means it: without counts, and as long as these say. Throws Error(kBadData) when a count
// is not within what types hold.
std::vector<Tensor> TrueOutputs(const std::vector<CountedOutput>& counted, std::vector<Tensor> results);
std::vector<Tensor> TrueOutputs(const Function& main, std::vector<Tensor> results);

}  // namespace hone::relay
