// Which machines' times may be compared with each other.
#pragma once

#include <string>

#include "core/measurement.h"
#include "core/serialize.h"

namespace hone {

// What must agree before two machines time the candidates of one tuning run: CPU model and family, features, caches,
// the number of cores, whether it is emulated. As it travels in docs/protocol.md's `machine`.
Json MachineKind(const Environment& environment);

// The first thing in which `kind` differs from `wanted`, as "its cpu is \"A\", not \"B\""; empty when they are alike.
std::string KindDifference(const Json& kind, const Json& wanted);

}  // namespace hone
