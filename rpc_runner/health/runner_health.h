// What a runner tells a tracker of its device's speed: `health` and `roofs` of its hello (docs/protocol.md).
#pragma once

#include <string>

#include "core/serialize.h"

namespace hone {

struct RunnerHealth {
  std::string state;  // as HealthStateName; empty where the runner does not watch its device
  std::string why;    // what speaks against the device; empty: nothing
  std::string roofs;  // RoofsText

  // Throws Error(kBadData) where a field is there and not what it should be.
  static RunnerHealth FromHello(const Json& header);
  // Whether it may be leased. A state that this program does not know may.
  bool is_offered() const { return state != "quarantined" && state != "probation"; }
  // "quarantined: golden kernel 6.1 % slower than usual (arithmetic)".
  std::string ToText() const { return why.empty() ? state : state + ": " + why; }
};

}  // namespace hone
