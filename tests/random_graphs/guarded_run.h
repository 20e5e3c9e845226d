// Runs a built plan in memory that reveals every access outside of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/package/plan.h"
#include "core/tensor.h"

namespace hone {

// A package's content; not owned.
struct GuardedPlan {
  const Plan& plan;
  std::string_view lib;
  std::string_view params;
};

// Every buffer of the plan lies between inaccessible pages, those of the arena and the parameters too. Memory that no
// kernel has written yet holds NaNs, and so do the few bytes between a buffer and such a page. Stages run in this
// thread, with their ranges cut at random places and the parts in random order. An access outside, or a write to an
// input or a parameter, ends the process with SIGSEGV. The memory lives until the process ends. Throws Error(kBug) when
// a kernel returns a code or has written into the bytes beside a buffer.
std::vector<Tensor> RunGuarded(const GuardedPlan& what, const std::map<std::string, Tensor>& inputs, uint64_t seed);

}  // namespace hone
