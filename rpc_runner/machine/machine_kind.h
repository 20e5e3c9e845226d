// Which machines' times may be compared with each other.
#pragma once

#include <string>

#include "core/measurement.h"
#include "core/serialize.h"

namespace hone {

// The object `machine` of docs/protocol.md: the fingerprint, the number of cores and the golden time, which must agree
// (the golden time to 3 %) before two machines time the candidates of one tuning run; the CPU model for people; and
// `boot`, the name of the machine's boot, left out when empty.
Json MachineKind(const Environment& environment, const std::string& boot = "");

// The first thing in which `kind` differs from `wanted`, as "its cores is 8, not 4" or "golden kernel 4.2 % slower";
// empty when they are alike. Golden times of one boot are one machine's, so their difference is noise and is
// overlooked.
std::string KindDifference(const Json& kind, const Json& wanted);

}  // namespace hone
