// Which machines' times may be compared with each other.
#pragma once

#include <string>

#include "core/measurement.h"
#include "core/serialize.h"

namespace hone {

// What must agree before two machines time the candidates of one tuning run, the fingerprint, the number of cores and,
// to 3 %, the golden time, and the CPU model, which need not. As it travels in docs/protocol.md's `machine`.
Json MachineKind(const Environment& environment);

// The first thing in which `kind` differs from `wanted`, as "its cores is 8, not 4" or "golden kernel 4.2 % slower";
// empty when they are alike.
std::string KindDifference(const Json& kind, const Json& wanted);

}  // namespace hone
