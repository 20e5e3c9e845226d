// Which records a build may use, in which order, and why not the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/fingerprint.h"
#include "core/target.h"
#include "db/record.h"
#include "db/record_id.h"
#include "db/setup.h"

namespace hone {

inline constexpr double kLossNotKnown = std::numeric_limits<double>::infinity();

// What ranking needs of a record.
struct BestRow {
  int64_t seq = 0;  // greater: it arrived later
  RecordId id;
  SharedSetup setup;
  std::string llvm_cpu;  // LLVM's name of the CPU that timed; empty: not known
  int64_t min_ns = 0;
  std::string session;
  std::string candidate;    // CandidateText, or any text that tells it from others of its workload
  int held = 0, place = 0;  // as FinalsPart's
  int rank = 0;             // set by the lookup
  int64_t worth_ns = 0;     // set by WorthByFinals
  // Set by TransferLosses::Order: a share, kLossNotKnown, or 0 where the wanted kind of machine measured. Until then
  // all are alike.
  double expected_loss = 0;
  Fate fate = Fate::kOk;
  bool noisy = false;
  bool blames_for_machine = false;  // BlamesForMachine (core/failure.h): its fate is no verdict on the candidate
  int schedule_version = 0;
  int layer = 0;          // of RecordLayers
  bool own_kind = false;  // for machines of the microarchitecture that measured it alone
  std::string schedule() const { return candidate.substr(0, candidate.find(' ')); }
  std::string config() const { return candidate.substr(std::min(candidate.size(), candidate.find(' ') + 1)); }
  bool operator==(const BestRow&) const = default;
};
// "SCHEDULE CONFIG"; a schedule's name holds no blank.
std::string CandidateText(std::string schedule, std::string_view config);

// seq: the record's place in the order of arrival.
BestRow BestRowOf(const Record& record, int64_t seq);

// For whom the lookup is.
struct BestWanted {
  Target target;
  Fingerprint machine;  // that the build is for; not known when it is for others than this one
  int threads = 1;
};

// Why a row may not be used at all.
enum class LeftOut : uint8_t {
  kFailed,             // it did not work, or has no time
  kNoisy,              // the machine was not quiet
  kOtherArchitecture,  // than the target's
  kLacksFeatures,      // the target lacks some that it requires
  kFailedSince,        // the same kernel failed later (failed_since.h)
  kDoubtedSince,       // its runner did not believe it any more (doubted_since.h)
  kOtherKind,          // of another kind of machine, for which alone it is
  kOtherCache,         // warm, in a rank that has cold-weights
};
struct LeftOutRow {
  BestRow row;
  LeftOut why = LeftOut::kFailed;
  std::string detail;  // the features that lack, "avx512f avx512vnni"; the id of the record that failed or doubts it;
                       // else empty
};

// What the ranked rows are ordered by: the first that differs decides.
enum class Criterion : uint8_t {
  kRank,      // how near its machine is, as RecordStore::Best says
  kEmulated,  // measured before emulated
  kLoss,      // what its kind of machine's kernels are expected to lose here (transfer_losses.h)
  kCode,      // code for the wanted target before other code
  kThreads,   // the wanted number before others
  kWorth,     // what its time counts as once finals have been held (worth_by_finals.h)
  kFinals,    // those of finals before others
  kSample,    // the least sample
  kId,
};
// What puts the one row before the other; both must be ranked for `wanted`.
Criterion DecidedBy(const BestRow& ahead, const BestRow& behind, const BestWanted& wanted);

// Ranks of BestRow::rank; the last is that of another microarchitecture.
inline constexpr int kRanks = 4;

struct BestLookup {
  std::vector<BestRow> ranked;       // that may be used, best first
  std::vector<LeftOutRow> left_out;  // in the order in which they were given
};
// Of all rows of one workload. In every rank a row's architecture must be the wanted one and the features it requires
// among those the wanted target has. A rank gives rows of one cache mode: cold-weights where it has any.
BestLookup LookUpBest(std::vector<BestRow> rows, const BestWanted& wanted);

// Puts ranked rows in order again, once something that it depends on has been set.
void SortRanked(std::vector<BestRow>& ranked, const BestWanted& wanted);

// The ranked rows alone.
std::vector<BestRow> RankRecords(std::vector<BestRow> rows, const BestWanted& wanted);

}  // namespace hone
