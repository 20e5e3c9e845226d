// Plans that somebody changed: what a crafted package's graph may say.
#pragma once

#include "core/random.h"
#include "core/serialize.h"

namespace hone {

// One to three changes to a plan's JSON, drawn from `random`: numbers (off by one, doubled, huge, negative, one taken
// from elsewhere), texts taken from elsewhere, members of lists left out, repeated or exchanged, buffers whose shape
// and size shrink or grow together, and calls that are given another kernel.
Json CraftGraph(Json graph, Random& random);

}  // namespace hone
