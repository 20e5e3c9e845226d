// What finals in the built model decided, for people and for programs.
#pragma once

#include <string>

#include "core/serialize.h"
#include "tuner/finals/network_finals.h"

namespace hone {

// One line, or nothing when they were not asked for.
std::string NetworkFinalsText(const NetworkFinals& finals);
// null when they were not asked for.
Json NetworkFinalsJson(const NetworkFinals& finals);

}  // namespace hone
