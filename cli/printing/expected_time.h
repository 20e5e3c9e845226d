// How long a run of a built network is expected to take.
#pragma once

#include <set>
#include <string>

#include "compiler/build.h"
#include "core/serialize.h"

namespace hone {

// The sums over the plan's calls, in nanoseconds.
struct ExpectedTime {
  double recorded_ns = 0, estimated_ns = 0;  // by the kernels' records, and of those without one by their estimates
  int recorded = 0, estimated = 0;           // calls of each
  int left_out = 0;                          // calls of which nothing is known: the data decide how long they take
  std::set<std::string> ops = {};            // of those left out
  double ns() const { return recorded_ns + estimated_ns; }
};
ExpectedTime ExpectedOf(const BuildResult& result);
// The time of one call in nanoseconds; 0 where nothing is known.
double ExpectedNs(const BuildResult& result, const PlanCall& call);

// "expected 5.3 ms a run: 4.1 ms of 20 calls by records, 1.2 ms of 7 by estimate, without 1 call of topk", one line;
// empty where nothing is called.
std::string ExpectedText(const ExpectedTime& expected);
Json ExpectedJson(const ExpectedTime& expected);

}  // namespace hone
