#include "db/sync_stores.h"

#include <algorithm>
#include <string>
#include <vector>

namespace hone {
namespace {

// Small enough that other writers get their turn, large enough that a distant server is not asked too often.
constexpr int64_t kWindow = 512;

SyncedRows Bring(const RecordStore& from, RecordStore& to) {
  SyncedRows brought;
  const int64_t end = from.Arrived();
  for (int64_t after = 0; after < end; after += kWindow) {
    const int64_t until = std::min(after + kWindow, end);
    const std::vector<std::string> ids = from.Ids(after, until);
    if (to.CountKnown(ids) == static_cast<int64_t>(ids.size())) continue;
    RecordQuery query;
    query.after = after;
    query.until = until;
    brought.records += to.Append(from.Find(query));
  }
  brought.foreign = to.AppendForeign(from.FindForeign(""));
  return brought;
}

}  // namespace

SyncCounts SyncStores(RecordStore& a, RecordStore& b) {
  SyncCounts counts;
  counts.to_b = Bring(a, b);
  counts.to_a = Bring(b, a);
  return counts;
}

}  // namespace hone
