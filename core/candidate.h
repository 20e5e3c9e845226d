// A candidate is one configuration of one schedule for one workload on one target.
#pragma once

#include <string>

#include "core/config_space.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

struct Candidate {
  Workload workload;
  std::string schedule;  // "conv2d_direct"
  Config config;
  Target target;
  bool operator==(const Candidate&) const = default;
};

}  // namespace hone
