#include "runtime/threads/work_shares.h"

#include <algorithm>

namespace hone {
namespace {

constexpr int kStageShift = 16;
constexpr uint64_t kOwnersOnly = uint64_t{1} << 15;
constexpr uint64_t kLeft = kOwnersOnly - 1;

}  // namespace

int64_t PiecesOf(int64_t extent, int64_t grain) {
  const int64_t step = std::max<int64_t>(grain, 1);
  return extent / step + (extent % step != 0);
}

WorkRange ShareOf(int64_t extent, int64_t grain, int worker, int workers) {
  const int64_t step = std::max<int64_t>(grain, 1);
  const int64_t pieces = PiecesOf(extent, grain);
  const int64_t each = pieces / workers, more = pieces % workers;
  const int64_t first = worker * each + std::min<int64_t>(worker, more);
  const int64_t last = first + each + (worker < more);
  // The last piece may be short, so its end in items could exceed the extent (and the largest integer).
  return {first < pieces ? first * step : extent, last < pieces ? last * step : extent};
}

WorkShares::WorkShares(int workers) : workers_(workers), shares_(new Share[static_cast<size_t>(workers)]) {}

void WorkShares::Deal(int parts, Takers takers) {
  ++stage_;
  unended_.store(parts, std::memory_order_relaxed);
  const uint64_t fixed = stage_ << kStageShift | (takers == Takers::kOwner ? kOwnersOnly : 0);
  for (int worker = 0; worker < workers_; ++worker) {
    const WorkRange range = ShareOf(parts, 1, worker, workers_);
    shares_[worker].end = static_cast<int>(range.end);
    shares_[worker].word.store(fixed | static_cast<uint64_t>(range.end - range.begin), std::memory_order_release);
  }
}

std::optional<WorkShares::Offer> WorkShares::Look(int worker) const {
  for (int i = 0; i < workers_; ++i) {
    const int share = worker + i < workers_ ? worker + i : worker + i - workers_;
    const uint64_t word = shares_[share].word.load(std::memory_order_relaxed);
    if ((word & kLeft) != 0 && (i == 0 || (word & kOwnersOnly) == 0)) return Offer{share, word};
  }
  return std::nullopt;
}

std::optional<int> WorkShares::Take(int worker, const Offer& offer) {
  uint64_t expected = offer.word;
  if (!shares_[offer.share].word.compare_exchange_strong(expected, offer.word - 1, std::memory_order_acquire,
                                                         std::memory_order_relaxed)) {
    return std::nullopt;
  }
  shares_[worker].held.store(true, std::memory_order_relaxed);
  return shares_[offer.share].end - static_cast<int>(offer.word & kLeft);
}

std::optional<int> WorkShares::Begin(int worker) {
  for (std::optional<Offer> offer = Look(worker); offer; offer = Look(worker)) {
    if (const std::optional<int> part = Take(worker, *offer)) return part;
  }
  return std::nullopt;
}

void WorkShares::End(int worker) {
  shares_[worker].held.store(false, std::memory_order_relaxed);
  if (unended_.fetch_sub(1, std::memory_order_acq_rel) == 1) unended_.notify_one();
}

void WorkShares::WaitUntilDone() const {
  for (int32_t left = unended_.load(std::memory_order_acquire); left != 0;
       left = unended_.load(std::memory_order_acquire)) {
    unended_.wait(left, std::memory_order_acquire);
  }
}

}  // namespace hone
