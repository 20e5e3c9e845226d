// Decides whether a package's outputs agree with its model's, given how the package rounds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/tensor.h"
#include "lab/verify/compare_outputs.h"
#include "runtime/package.h"

namespace hone {

// `typed` is the model, `inputs` what both ran with, and `errors` has one entry per output.

// A correct package may sum in another order than the reference. So an output is not wrong if its error is at most
// twice that of other such orders in the reference. If the output is quantised, that error is an integer number of its
// steps. An error budget already includes the rounding of bfloat16. Does nothing if all outputs agree.
void AllowRounding(const relay::IRModule& typed, const Package& package, const std::map<std::string, Tensor>& inputs,
                   const VerifyTolerance& tolerance, std::vector<OutputError>& errors);

// Finds outputs of which nobody can tell whether they agree. They differ by more than the tolerance, and rounding may
// change a right package's outputs as much:
// - either what was allowed for it is half of the largest value, or more;
// - or the model's own outputs move by a quarter of it when its inputs move by one rounding of float32.
// A tolerance of that size that the user did not give tells nothing either. Sets `moves` unless all agree within the
// tolerance itself, and cannot_tell. Call it last.
void TellLimits(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                const VerifyTolerance& tolerance, std::vector<OutputError>& errors);

// Judges element by element, if all outputs agree and the model's and the package's floats have no errors but those of
// summation. `got` and `expected` are the outputs.
void JudgeElements(const relay::IRModule& typed, const Package& package, const std::map<std::string, Tensor>& inputs,
                   const VerifyTolerance& tolerance, const std::vector<Tensor>& got,
                   const std::vector<Tensor>& expected, std::vector<OutputError>& errors);

}  // namespace hone
