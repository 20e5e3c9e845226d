// The parts of a stage, and which of them somebody has begun.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace hone {

// How many pieces of `grain` items, of which the last may be short, make up `extent` items.
int64_t PiecesOf(int64_t extent, int64_t grain);

// The part of [0, extent) that is worker's share: contiguous, cut at multiples of grain, as even as can be.
struct WorkRange {
  int64_t begin = 0;
  int64_t end = 0;
};
WorkRange ShareOf(int64_t extent, int64_t grain, int worker, int workers);

// Parts of one stage after another, each stage's dealt out to the shares of some workers. A worker takes the parts of
// its own share, then whatever others have not begun, so that one that never comes keeps nothing from being done.
//
// Each share has one atomic word:
//
//     | 63       stage       16 | 15  owner's only | 14  parts left  0 |
//
// A part is begun by taking one off its share's word with compare-and-swap. A stage is over when all its parts have
// ended, and its number never comes again: with the word of a stage that is over nobody gets a part of the next. So
// whoever holds a part, and only they, may touch what the stage works on.
class WorkShares {
 public:
  enum class Takers { kAnyone, kOwner };
  // A share that had parts when it was looked at.
  struct Offer {
    int share = 0;
    uint64_t word = 0;
  };
  static constexpr int kMostPartsOfShare = (1 << 15) - 1;

  explicit WorkShares(int workers);

  // Begins the next stage with the parts [0, parts), at most kMostPartsOfShare a worker; what was written before is
  // seen by those who get one. Only when Done. kOwner: each worker takes none but its share's.
  void Deal(int parts, Takers takers);
  // A share with parts that nobody has begun, the worker's own first.
  std::optional<Offer> Look(int worker) const;
  // The part that worker holds from now on; none when the share is no longer as it was.
  std::optional<int> Take(int worker, const Offer& offer);
  // Look and Take until a part is held or none is left.
  std::optional<int> Begin(int worker);
  // Worker's part has ended.
  void End(int worker);
  // Every part that was dealt has ended; what their holders wrote is seen.
  bool Done() const { return unended_.load(std::memory_order_acquire) == 0; }
  // Sleeps until Done.
  void WaitUntilDone() const;
  // Whether worker holds a part; may be out of date at once.
  bool Holds(int worker) const { return shares_[worker].held.load(std::memory_order_relaxed); }

 private:
  // A line of its own: its worker alone writes it, until others help.
  struct alignas(64) Share {
    std::atomic<uint64_t> word{0};
    std::atomic<bool> held{false};
    int end = 0;  // the part behind the last; changes only between stages
  };

  const int workers_;
  uint64_t stage_ = 0;
  std::unique_ptr<Share[]> shares_;
  alignas(64) std::atomic<int32_t> unended_{0};
};

}  // namespace hone
