// The expected time of a run of a built network.
#pragma once

#include <set>
#include <string>

#include "compiler/build.h"
#include "core/json/serialize.h"

namespace hone {

// Sums over the plan's calls, in nanoseconds.
struct ExpectedTime {
  double recorded_ns = 0, estimated_ns = 0;  // by the kernels' records, or by estimates if they have none
  int recorded = 0, estimated = 0;           // calls of each
  int left_out = 0;                          // calls without an estimate, because the data decide how long they take
  std::set<std::string> ops = {};            // of the calls left out
  double ns() const { return recorded_ns + estimated_ns; }
};
ExpectedTime ExpectedOf(const BuildResult& result);
// The time of one call in nanoseconds; 0 if unknown.
double ExpectedNs(const BuildResult& result, const PlanCall& call);

// "expected 5.3 ms a run: 4.1 ms of 20 calls by records, 1.2 ms of 7 by estimate, without 1 call of topk". One line;
// empty if there are no calls.
std::string ExpectedText(const ExpectedTime& expected);
Json ExpectedJson(const ExpectedTime& expected);

}  // namespace hone
