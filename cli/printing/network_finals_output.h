// Prints the decisions of finals in the built model, for people and programs.
#pragma once

#include <string>

#include "core/json/serialize.h"
#include "tuner/finals/network_finals.h"

namespace hone {

// One line; empty if no finals were asked for.
std::string NetworkFinalsText(const NetworkFinals& finals);
// null if no finals were asked for.
Json NetworkFinalsJson(const NetworkFinals& finals);

}  // namespace hone
