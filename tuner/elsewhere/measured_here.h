// The setup in which a run measures, and a test for records of the same one.
#pragma once

#include <string>
#include <vector>

#include "db/record.h"
#include "db/setup.h"
#include "tuner/search/search_space.h"

namespace hone {

struct MeasuredHere {
  Setup setup;
  std::vector<std::string> workloads;  // texts, of all tasks
};

// Whether a record of the space's workload, with these threads and this cache mode, counts as measured here. It must
// be of the target, this kind of machine and the present version of its schedule. A candidate that the compiler
// refused was on no machine and counts on all.
bool CountsHere(const Record& record, const SearchSpace& space, const MeasuredHere& here);

}  // namespace hone
