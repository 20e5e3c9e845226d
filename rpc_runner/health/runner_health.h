// The device's speed as a runner tells it to a tracker: `health` and `roofs` of its hello (docs/reference/protocol.md).
#pragma once

#include <string>

#include "core/json/serialize.h"

namespace hone {

struct RunnerHealth {
  std::string state;  // as HealthStateName; empty if the runner does not watch its device
  std::string why;    // why the device is in doubt; empty if it is not
  std::string roofs;  // RoofsText

  // Throws Error(kBadData) if a field exists but is invalid.
  static RunnerHealth FromHello(const Json& header);
  // Whether it may be leased. States that this program does not know count as healthy.
  bool is_offered() const { return state != "quarantined" && state != "probation"; }
  // "quarantined: golden kernel 6.1 % slower than usual (arithmetic)".
  std::string ToText() const { return why.empty() ? state : state + ": " + why; }
};

}  // namespace hone
