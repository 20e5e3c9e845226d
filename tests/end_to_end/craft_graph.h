// Tampered plans, as a crafted package's graph may have them.
#pragma once

#include "core/json/serialize.h"
#include "core/random.h"

namespace hone {

// Makes one to three changes to a plan's JSON, drawn from `random`. Numbers become off by one, doubled, huge, negative
// or one from elsewhere; texts become texts from elsewhere. Members of lists are left out, repeated or exchanged.
// Buffers shrink or grow in both shape and size. Calls are given another kernel.
Json CraftGraph(Json graph, Random& random);

}  // namespace hone
