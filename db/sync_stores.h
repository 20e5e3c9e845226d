// Makes the contents of two stores equal.
#pragma once

#include <cstdint>

#include "db/record_store.h"

namespace hone {

struct SyncedRows {
  int64_t records = 0, foreign = 0;  // that were new in the store that received them
};
struct SyncCounts {
  SyncedRows to_a, to_b;
};

// Copies every record and foreign trial of each store to the other, a few at a time. Rows are named by their content,
// so the stores end equal in whatever order and however often they are synced. Only the ids of rows that a store
// already has are compared. Runs and the notes of packs are not copied: they belong to their store. Rows that arrive
// meanwhile may or may not be copied. Rethrows the stores' exceptions; rows copied until then stay.
SyncCounts SyncStores(RecordStore& a, RecordStore& b);

}  // namespace hone
