// Which records a build may use, and in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fingerprint.h"
#include "core/target.h"
#include "db/record.h"
#include "db/setup.h"

namespace hone {

// What ranking needs of a record that is Ok and not noisy.
struct BestRow {
  int64_t seq = 0;
  std::string id;
  Setup setup;
  std::string llvm_cpu;  // LLVM's name of the CPU that timed; empty: not known
  int64_t min_ns = 0;
  std::string session, candidate;  // the candidate as any text that tells it from others of its workload
  int held = 0, place = 0;         // as FinalsPart's
  int rank = 0;                    // set by RankRecords
  int64_t worth_ns = 0;            // set by WorthByFinals
};

// seq: the record's place in the order of arrival.
BestRow BestRowOf(const Record& record, int64_t seq);

// For whom the lookup is.
struct BestWanted {
  Target target;
  Fingerprint machine;  // that the build is for; not known when it is for others than this one
  int threads = 1;
};

// The rows that may be used, best first: by rank as RecordStore::Best says, then measured before emulated, then code
// for the wanted target before other code, then by worth (see worth_by_finals.h), then those of finals, then by least
// sample, then by id. In every rank a row's architecture must be the wanted one and the features it requires among
// those the wanted target has. A rank gives rows of one cache mode: cold-weights where it has any.
std::vector<BestRow> RankRecords(std::vector<BestRow> rows, const BestWanted& wanted);

}  // namespace hone
