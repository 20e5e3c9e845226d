// Which records a build may use, and in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "core/target.h"
#include "db/record.h"

namespace hone {

// What ranking needs of a record that is Ok and not noisy.
struct BestRow {
  int64_t seq = 0;
  std::string id;
  Target target;
  int threads = 1;
  std::string cpu_model;
  CacheMode cache = CacheMode::kColdWeights;
  bool emulated = false;
  int64_t min_ns = 0;
  std::string session, candidate;  // the candidate as any text that tells it from others of its workload
  int held = 0, place = 0;         // as FinalsPart's
  int rank = 0;                    // set by RankRecords
  int64_t worth_ns = 0;            // set by JudgeByFinals
};

// seq: the record's place in the order of arrival.
BestRow BestRowOf(const Record& record, int64_t seq);

// For whom the lookup is.
struct BestWanted {
  Target target;
  std::string cpu_model;  // empty: not known, so that ranks 0 and 1 are empty
  int threads = 1;
};

// The rows that may be used, best first: by rank as RecordStore::Best says, then measured before emulated, then by
// worth (see judge_by_finals.h), then those of finals, then by least sample, then by
// id. In every rank a row's architecture must be the
// wanted one and the features it requires among those the wanted target has. A rank gives rows of one cache mode:
// cold-weights where it has any.
std::vector<BestRow> RankRecords(std::vector<BestRow> rows, const BestWanted& wanted);

}  // namespace hone
