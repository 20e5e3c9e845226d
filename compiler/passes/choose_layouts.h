// Pass: gives every value a place in memory and every anchor its configuration.
#pragma once

#include "compiler/passes/passes.h"
#include "compiler/relay/expr.h"

namespace hone {

// Walks main in post order. An anchor asks context.configs for its configuration (then the analytic default) and takes
// its operands in the layouts that its schedule wants; other functions run in the blocked layout of their inputs where
// their operators can, else row-major. Where a value lies otherwise than wanted a function of one layout_transform is
// called, once per value and layout. Inputs and results of main are row-major; below opt_level 3 so is every value
// between functions.
//
// An anchor's function gains the attributes workload, epilogue, schedule, config, source, record (texts) and
// expected_ns. Types carry the layouts afterwards and are set here: InferType cannot know an anchor's.
relay::IRModule ChooseLayouts(const relay::IRModule& module, const PassContext& context);

}  // namespace hone
