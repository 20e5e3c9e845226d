// Decides which records a build may use, in which order, and why the others are left out.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/fingerprint.h"
#include "core/machine/target.h"
#include "db/record.h"
#include "db/setup.h"

namespace hone {

// A record's id without heap memory, which a std::string of 16 digits needs. Ordered as texts are.
class RecordId {
 public:
  static constexpr size_t kMostDigits = 16;

  RecordId() = default;
  // Throws Error(kBadData) for a text that is longer than any id.
  explicit RecordId(std::string_view text);
  std::string_view view() const { return {digits_.data(), size_}; }
  std::string text() const { return std::string(view()); }
  bool operator==(const RecordId& other) const { return view() == other.view(); }
  std::strong_ordering operator<=>(const RecordId& other) const { return view() <=> other.view(); }

 private:
  std::array<char, kMostDigits> digits_{};
  uint8_t size_ = 0;
};

inline constexpr double kLossNotKnown = std::numeric_limits<double>::infinity();

// The fields of a record that ranking needs.
struct BestRow {
  int64_t seq = 0;  // greater: arrived later
  RecordId id;
  SharedSetup setup;
  std::string llvm_cpu;  // LLVM's name of the CPU that measured; empty if not known
  int64_t min_ns = 0;
  std::string session;
  std::string candidate;    // CandidateText, or any text unique within the workload
  int held = 0, place = 0;  // as in FinalsPart
  int rank = 0;             // set by the lookup
  int64_t worth_ns = 0;     // set by WorthByFinals
  // Set by TransferLosses::Order: a share, kLossNotKnown, or 0 if the wanted kind of machine measured. Before that it
  // is equal in all rows.
  double expected_loss = 0;
  Fate fate = Fate::kOk;
  bool noisy = false;
  bool blames_for_machine = false;  // BlamesForMachine (core/failure.h): its fate is no verdict on the candidate
  int schedule_version = 0;
  int layer = 0;          // index in RecordLayers
  bool own_kind = false;  // only for machines of the microarchitecture that measured it
  std::string schedule() const { return candidate.substr(0, candidate.find(' ')); }
  std::string config() const { return candidate.substr(std::min(candidate.size(), candidate.find(' ') + 1)); }
  bool operator==(const BestRow&) const = default;
};
// "SCHEDULE CONFIG"; a schedule's name contains no blank.
std::string CandidateText(std::string schedule, std::string_view config);

// `seq` is the record's place in the order of arrival.
BestRow BestRowOf(const Record& record, int64_t seq);

// The machine and target that the lookup is for.
struct BestWanted {
  Target target;
  Fingerprint machine;  // of the build; not known if it is for another machine than this one
  int threads = 1;
  std::optional<CacheMode> cache = std::nullopt;  // only rows of this mode; absent: as a build
};

// The reason why a row may not be used at all.
enum class LeftOut : uint8_t {
  kFailed,             // it failed or has no time
  kNoisy,              // the machine was not quiet
  kOtherArchitecture,  // not the target's
  kLacksFeatures,      // the target lacks features that it requires
  kFailedSince,        // the same kernel failed later (row_verdicts.h)
  kDoubtedSince,       // its runner doubted it later (row_verdicts.h)
  kOtherKind,          // own_kind, and measured on another kind of machine
  kOtherCache,         // not of the wanted mode; or warm, in a rank that has cold-weights
};
struct LeftOutRow {
  BestRow row;
  LeftOut why = LeftOut::kFailed;
  std::string detail;  // the missing features, "avx512f avx512vnni"; the id of the record that failed or doubts it;
                       // else empty
};

// The criteria that order the ranked rows. The first that differs decides.
enum class Criterion : uint8_t {
  kRank,      // nearness of its machine, as in RecordStore::Best
  kEmulated,  // measured before emulated
  kLoss,      // expected loss here of kernels of its kind of machine (transfer_losses.h)
  kCode,      // code for the wanted target before other code
  kThreads,   // the wanted number of threads before others
  kWorth,     // its time as finals adjust it (row_verdicts.h)
  kFinals,    // the row of finals that gave the worth before others
  kSample,    // the least sample
  kId,
};
// The criterion that puts `ahead` before `behind`. Both must be ranked for `wanted`.
Criterion DecidedBy(const BestRow& ahead, const BestRow& behind, const BestWanted& wanted);

// The number of ranks of BestRow::rank. The last rank is another microarchitecture.
inline constexpr int kRanks = 4;

struct BestLookup {
  std::vector<BestRow> ranked;       // usable rows, best first
  std::vector<LeftOutRow> left_out;  // in the order in which they were given
};
// Takes all rows of one workload. In every rank a row's architecture must be the wanted one, and its required features
// among those of the wanted target. A rank gives rows of one cache mode: cold-weights if it has any.
BestLookup LookUpBest(std::vector<BestRow> rows, const BestWanted& wanted);

// Sorts ranked rows again after a value that the order depends on was set.
void SortRanked(std::vector<BestRow>& ranked, const BestWanted& wanted);

// Only the ranked rows.
std::vector<BestRow> RankRecords(std::vector<BestRow> rows, const BestWanted& wanted);

}  // namespace hone
