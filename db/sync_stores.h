// Two stores that shall hold the same.
#pragma once

#include <cstdint>

#include "db/record_store.h"

namespace hone {

struct SyncedRows {
  int64_t records = 0, foreign = 0;  // that were new where they went
};
struct SyncCounts {
  SyncedRows to_a, to_b;
};

// Brings every record and foreign trial that one of them has to the other, a few at a time. Rows are named by their
// content, so that stores end alike in whatever order and however often they are synced; what each has already is only
// asked for by its id. Runs and the notes of packs stay where they are: they tell what was done in that store. What
// arrives while this goes on may or may not come along. Throws what the stores throw; what went over until then stays.
SyncCounts SyncStores(RecordStore& a, RecordStore& b);

}  // namespace hone
