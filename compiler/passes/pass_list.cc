#include "compiler/passes/chosen_passes.h"
#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/layouts/choose_layouts.h"
#include "compiler/passes/layouts/share_tables.h"
#include "compiler/passes/narrow_weights.h"
#include "compiler/passes/pack_weights.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"

namespace hone {

using relay::IRModule;
using After = std::function<void(const std::string& pass, const IRModule&)>;

namespace {

// If the second caches hold the scores, tuned kernels write and read them there instead.
int64_t LeastScoresBytes(const MachineModel& machine) { return machine.l2_bytes * machine.threads; }

}  // namespace

const std::vector<Pass>& AllPasses() {
  static const std::vector<Pass> passes{
      {"bind_params", 0, [](const IRModule& m, const PassContext&) { return BindParams(m); }},
      {"inline_functions", 0, [](const IRModule& m, const PassContext&) { return InlineFunctions(m); }},
      // Before all passes that look for convolutions.
      {"plain_convs", 0, [](const IRModule& m, const PassContext&) { return PlainConvs(m); }},
      // Before all passes that divide by extents.
      {"drop_empty", 0, [](const IRModule& m, const PassContext&) { return DropEmpty(m); }},
      // After drop_empty: to a reshape, an extent of 0 means that of its argument.
      {"volumes_as_planes", 0, [](const IRModule& m, const PassContext&) { return VolumesAsPlanes(m); }},
      // Before scales are lifted: these stay on their side of a reshape.
      {"rows_as_planes", 2, [](const IRModule& m, const PassContext&) { return RowsAsPlanes(m); }},
      // After rows_as_planes: operators after a row then move to the phases. Before lift_scales, which serves the
      // phases too.
      {"split_transposed_convs", 0,
       [](const IRModule& m, const PassContext& c) { return SplitTransposedConvs(m, c.build.machine().vector_lanes); }},
      // Before batch norms look for their convolutions, from which a slice separates them.
      {"cut_convs", 2, [](const IRModule& m, const PassContext&) { return CutConvs(m); }},
      // Before constants are folded, which unpacks integers.
      {"dense_of_blocks", 0, [](const IRModule& m, const PassContext&) { return DenseOfBlocks(m); }},
      // Before constants are folded: integers and their scales are still separate.
      {"lift_scales", 1, [](const IRModule& m, const PassContext&) { return LiftScales(m); }},
      {"fold_constants", 0,
       [](const IRModule& m, const PassContext& c) { return FoldConstants(m, c.build.opt_level); }},
      // Before batch norms are folded: this pass makes them scales and shifts.
      {"simplify_inference", 0, [](const IRModule& m, const PassContext&) { return SimplifyInference(m); }},
      // Before batch norms go into their layers, from which transposes separate them.
      {"sink_transposes", 2, [](const IRModule& m, const PassContext&) { return SinkTransposes(m); }},
      {"fold_batch_norm", 1, [](const IRModule& m, const PassContext&) { return FoldBatchNorm(m); }},
      {"canonicalise", 0, [](const IRModule& m, const PassContext& c) { return Canonicalise(m, c.build.opt_level); }},
      {"gather_channels", 3,
       [](const IRModule& m, const PassContext& c) { return GatherChannels(m, c.build.machine().vector_lanes); }},
      // After channels are gathered, which gives groups filters of zeros where a shuffle follows.
      {"merge_groups", 3,
       [](const IRModule& m, const PassContext& c) {
         return c.build.exact_math ? m : MergeGroups(m, c.build.machine().vector_lanes);
       }},
      // Before concatenations sink: operators moved before depth_to_space can then move to the parts of a
      // concatenation.
      {"depth_to_space", 2,
       [](const IRModule& m, const PassContext& c) { return DepthToSpace(m, c.build.machine().vector_lanes); }},
      {"sink_concats", 2, [](const IRModule& m, const PassContext&) { return SinkConcats(m); }},
      {"nest_concats", 3, [](const IRModule& m, const PassContext&) { return NestConcats(m); }},
      {"split_batch", 3, [](const IRModule& m, const PassContext& c) { return SplitBatch(m, c.build.machine()); }},
      {"sink_requantise", 3, [](const IRModule& m, const PassContext&) { return SinkRequantise(m); }},
      // Last of the passes on float32: groups that bytes need are merged by then, and no kernels are formed yet.
      {"store_bytes", 3, [](const IRModule& m, const PassContext&) { return StoreBytes(m); }},
      {"tabulate_bytes", 3, [](const IRModule& m, const PassContext&) { return TabulateBytes(m); }},
      {"taps_as_channels", 3, [](const IRModule& m, const PassContext&) { return TapsAsChannels(m); }},
      // After all passes that look for moves and constants of float32.
      {"store_halves", 1, [](const IRModule& m, const PassContext&) { return StoreHalves(m); }},
      {"store_bfloat16", 0,
       [](const IRModule& m, const PassContext& c) {
         // Tiles multiply faster than Winograd's algorithm saves.
         const bool tiles = c.build.machine().bfloat16_tiles;
         const BFloatOptions options{.winograd = !tiles && !c.build.exact_math, .round_inputs = tiles};
         return c.build.precision == Precision::kBFloat16 ? StoreBFloat16(m, options) : m;
       }},
      // After layers of bytes and bfloat16 got their weights.
      {"narrow_weights", 0,
       [](const IRModule& m, const PassContext& c) {
         const StoredWeights weights = c.build.weights;
         if (weights == StoredWeights::kFloat16) return NarrowWeights(m);
         if (weights != StoredWeights::kFloat32) {
           return PackWeights(m, {weights == StoredWeights::kInt8 ? 8 : 4, c.build.weight_group});
         }
         return c.build.machine().half_loads_feature.empty() ? m : NarrowExactWeights(m);
       }},
      // After layers of floats got their packed weights.
      {"quantise_rows", 0,
       [](const IRModule& m, const PassContext& c) { return c.build.byte_rows ? QuantiseRows(m) : m; }},
      // After all passes that fold constants.
      {"computed_outputs", 2, [](const IRModule& m, const PassContext&) { return ComputedOutputs(m); }},
      // Below level 2 every operator becomes a function of its own, because lowering accepts only functions.
      {"fuse", 0,
       [](const IRModule& m, const PassContext& c) {
         const MachineModel& machine = c.build.machine();
         return Fuse(m, {c.build.opt_level >= 2, LeastScoresBytes(machine), machine.threads});
       },
       false},
      {"choose_layouts", 0, ChooseLayouts, false},
      // At every level: schedules may want weights that are packed ahead.
      {"fold_layouts", 0, [](const IRModule& m, const PassContext&) { return FoldLayouts(m); }, false},
      {"share_tables", 2, [](const IRModule& m, const PassContext&) { return ShareTables(m); }, false},
  };
  return passes;
}

namespace {

// An empty `last` means all.
IRModule RunPassList(const std::string& last, const IRModule& typed, const PassContext& context, const After& after) {
  if (typed.main->type == nullptr) throw Error(ExitCode::kBug, "passes were given a module without types");
  CheckPasses(context.build);
  IRModule now = typed;
  for (const Pass& pass : AllPasses()) {
    if (IsChosen(pass, context.build)) {
      const auto before = now.main;
      now = pass.run(now, context);
      if (pass.infers_types && now.main != before) now = relay::InferType(now);
      if (after) after(pass.name, now);
    }
    if (pass.name == last) break;
  }
  return now;
}

}  // namespace

IRModule RunPasses(const IRModule& typed, const PassContext& context, const After& after) {
  return RunPassList("", typed, context, after);
}

IRModule RunPassesUntil(const std::string& last, const IRModule& typed, const PassContext& context) {
  return RunPassList(last, typed, context, nullptr);
}

}  // namespace hone
