// The way in which a candidate's process ended before its work was done.
#pragma once

#include <cstdint>
#include <string>

#include "core/measurement.h"

namespace hone {

struct Ending {
  Fate fate = Fate::kCrashed;
  int32_t detail = 0;
  std::string message;
};

}  // namespace hone
