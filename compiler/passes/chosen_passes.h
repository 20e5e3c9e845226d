// The passes that a context runs: its level's, plus the required ones, minus the disabled ones.
#pragma once

#include "compiler/passes/passes.h"
#include "core/build_context.h"

namespace hone {

// Expects a context whose names CheckPasses accepts.
bool IsChosen(const Pass& pass, const BuildContext& context);

// Throws Error(kUsage), which names the pass, if no pass has the name (with the nearest one) or if it is both required
// and disabled. It also throws for a disabled pass that runs at every level, because every build needs it.
void CheckPasses(const BuildContext& context);

}  // namespace hone
