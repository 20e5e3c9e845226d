// Which passes a context has run: the level's, with those that are required and without those that are disabled.
#pragma once

#include "compiler/passes/passes.h"
#include "core/build_context.h"

namespace hone {

// The context's names are those that CheckPasses lets through.
bool IsChosen(const Pass& pass, const BuildContext& context);

// Throws Error(kUsage) naming it for a name that no pass has, with the nearest; for one that is both required and
// disabled; and for a disabled one that runs at every level, because no build does without it.
void CheckPasses(const BuildContext& context);

}  // namespace hone
