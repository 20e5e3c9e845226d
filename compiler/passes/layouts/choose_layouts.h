// The passes that choose and apply layouts in memory.
#pragma once

#include "compiler/passes/graph/pass_context.h"
#include "compiler/relay/expr.h"

namespace hone {

// Chooses every value's layout in memory and every anchor's configuration. From opt_level 3 all calls choose together,
// so that kernels and transforms have the least total cost (layout_graph.h, cheapest_choices.h). It is never more than
// with the best choice per layer. An anchor chooses among the configurations of context.configs and the analytic
// defaults, one per pair of layouts. Another function follows the blocks of its inputs or runs row-major. Below level 3
// each anchor takes its best, and every value between functions is row-major. Main's inputs and results are always
// row-major. If a value's layout differs from the wanted one, a function of one layout_transform is called, once per
// value and layout:
//
//    {conv2d, relu} -> {softmax}
//    becomes
//    {layout_transform} -> {conv2d, relu} in NCHW16c -> {layout_transform} -> {softmax} on row-major data
//
// An anchor's note gains its choice (graph/anchor.h). From level 3 main's note holds the cost of the choices
// (layout_report.h). Afterwards types carry the layouts. The pass sets them itself, because InferType cannot know an
// anchor's.
relay::IRModule ChooseLayouts(const relay::IRModule& module, const PassContext& context);

// Constants are packed into the layouts in which kernels read them. A layout_transform of a constant becomes a
// Constant. Its value is the physical tensor, and its type is the logical shape with the layout.
relay::IRModule FoldLayouts(const relay::IRModule& module);

}  // namespace hone
