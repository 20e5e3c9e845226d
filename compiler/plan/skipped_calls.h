// The calls of a plan that a run leaves out, because only a branch that it does not take needs them.
//
//    taken   = ...                       one int64: 0 or 1
//    a       = dense(x, w)               read by `choose` alone: 0 items in runs in which taken is 0
//    y       = choose(taken, a, not taken, b)
//
// This goes from the outputs back to the inputs. A call whose results one condition guards gets an axis of one item,
// limited by that condition, in front of each of its boxes. A call that reads what others leave out is left out with
// them: only `choose` may read a value that was not computed.
#pragma once

#include <functional>
#include <vector>

#include "compiler/plan/param_bytes.h"
#include "compiler/relay/expr.h"
#include "core/package/plan.h"

namespace hone {

// The stages of a kernel, by its number.
using StagesOf = std::function<const std::vector<KernelStage>&(int kernel)>;

// `functions` has the function of each call. `params` are the plan's parameters. Boxes and variants of the calls must
// be there.
void SkipCalls(Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params,
               const StagesOf& stages_of);

// Proves, from the inputs on, that no call reads what a run leaves out: a reader is left out with the calls that write
// what it reads, or it is a `choose` that does not take the value. Results and extents are read in each run. Throws
// Error(kBug).
void CheckSkips(const Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params);

}  // namespace hone
