// The effect of integer weights, and of rows of bytes, on a model's outputs.
#pragma once

#include <optional>

#include "compiler/build.h"
#include "lab/machine/machine.h"
#include "lab/records/records.h"

namespace hone {

// The largest max |y - r| / max |r| of all outputs: y with the weights and activations of the machine's context, r with
// those of float32. Both packages run on this machine, on random inputs. For another machine than this one the model is
// built again for this one; the order of sums may differ, but no rounding does.
//
// Nullopt if a run with float32 weights would take more than a quarter of this machine's memory. Nullopt, too, if no
// extents of the model's free dimensions were found that a run takes. Throws Error as Build and Session do.
std::optional<double> StoredWeightsError(const relay::IRModule& typed, const Machine& machine,
                                         const RecordOptions& records, const BuildResult& built);

}  // namespace hone
