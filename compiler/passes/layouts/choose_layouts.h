// Pass: gives every value a place in memory and every anchor its configuration.
#pragma once

#include "compiler/passes/graph/pass_context.h"
#include "compiler/relay/expr.h"

namespace hone {

// From opt_level 3 all calls choose together, so that kernels and transforms cost least in sum (layout_graph.h,
// cheapest_choices.h): never more than with the best choice per layer. An anchor chooses among the configurations of
// context.configs and the analytic defaults, one per pair of layouts; another function follows the blocks of its inputs
// or lies row-major. Below level 3 each anchor takes its best, and every value between functions is row-major, as
// main's inputs and results always are. Where a value lies otherwise than wanted a function of one layout_transform is
// called, once per value and layout.
//
// An anchor's note gains its choice (graph/anchor.h); from level 3 main's note is what the choices cost
// (layout_report.h). Types carry the layouts afterwards and are set here: InferType cannot know an anchor's.
relay::IRModule ChooseLayouts(const relay::IRModule& module, const PassContext& context);

}  // namespace hone
