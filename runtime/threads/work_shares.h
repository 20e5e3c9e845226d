// The parts of a stage, with a record of those that were begun.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace hone {

// The number of pieces of `grain` items, the last possibly short, that make up `extent` items.
int64_t PiecesOf(int64_t extent, int64_t grain);

// The worker's share of [0, extent): contiguous, cut at multiples of grain, and as even as possible.
struct WorkRange {
  int64_t begin = 0;
  int64_t end = 0;
};
WorkRange ShareOf(int64_t extent, int64_t grain, int worker, int workers);

// Parts of one stage after another. Each stage's parts are dealt out to the shares of some workers. A worker takes the
// parts of its own share, then those that others have not begun, so a worker that never comes delays nothing.
//
// Each share has one atomic word:
//
//     | 63       stage       16 | 15  owner's only | 14  parts left  0 |
//
// A part is begun by taking one off its share's word with compare-and-swap. A stage is over when all its parts have
// ended, and its number never occurs again: the word of a finished stage gives no part of the next. So only a worker
// that holds a part may touch the data of the stage.
class WorkShares {
 public:
  enum class Takers { kAnyone, kOwner };
  // A share that had parts when Look read it.
  struct Offer {
    int share = 0;
    uint64_t word = 0;
  };
  static constexpr int kMostPartsOfShare = (1 << 15) - 1;

  explicit WorkShares(int workers);

  // Begins the next stage with the parts [0, parts), at most kMostPartsOfShare per worker. A worker that takes a part
  // sees everything written before. Call it only when Done. kOwner: each worker takes parts only from its own share.
  void Deal(int parts, Takers takers);
  // A share with parts that were not begun, the worker's own first.
  std::optional<Offer> Look(int worker) const;
  // Takes a part, which the worker then holds; none if the share has changed since.
  std::optional<int> Take(int worker, const Offer& offer);
  // Repeats Look and Take until a part is held or none is left.
  std::optional<int> Begin(int worker);
  // Ends the worker's part.
  void End(int worker);
  // Whether every part that was dealt has ended. If so, everything that their holders wrote is visible.
  bool Done() const { return unended_.load(std::memory_order_acquire) == 0; }
  // Sleeps until Done.
  void WaitUntilDone() const;
  // Whether the worker holds a part; the answer may be out of date at once.
  bool Holds(int worker) const { return shares_[worker].held.load(std::memory_order_relaxed); }

 private:
  // A cache line of its own: only its worker writes it until others help.
  struct alignas(64) Share {
    std::atomic<uint64_t> word{0};
    std::atomic<bool> held{false};
    int end = 0;  // index behind the last part; changes only between stages
  };

  const int workers_;
  uint64_t stage_ = 0;
  std::unique_ptr<Share[]> shares_;
  alignas(64) std::atomic<int32_t> unended_{0};
};

}  // namespace hone
