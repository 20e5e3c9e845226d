// Decides which machines' times may be compared with each other.
#pragma once

#include <string>

#include "core/json/serialize.h"
#include "core/measurement.h"

namespace hone {

// The object `machine` of docs/reference/protocol.md. The fingerprint, the number of cores and, to 3 %, the golden time
// must agree before two machines time the candidates of one tuning run. The CPU model is for people. `boot` names the
// machine's boot, and is left out if empty.
Json MachineKind(const Environment& environment, const std::string& boot = "");

// The first field in which `kind` differs from `wanted`, as "its cores is 8, not 4" or "golden kernel 4.2 % slower";
// empty if they are alike. Golden times of one boot are of one machine, so their difference is noise and is ignored.
std::string KindDifference(const Json& kind, const Json& wanted);

}  // namespace hone
