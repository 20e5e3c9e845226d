// Pass: an abs of an abs becomes one abs, because a magnitude is its own magnitude.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// abs(abs(x)) becomes abs(x).
relay::IRModule DropDoubleAbs(const relay::IRModule& module);

}  // namespace hone
