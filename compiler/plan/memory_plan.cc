#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "compiler/plan/item_boxes.h"
#include "compiler/plan/lower.h"
#include "core/nth.h"

namespace hone {
namespace {

// The place of an arena buffer in memory and time: calls [first, last] use it.
struct Block {
  size_t buffer = 0;
  int64_t bytes = 0;  // rounded up to the alignment
  size_t first = 0;
  size_t last = 0;
  int64_t offset = 0;
};

std::vector<Block> BlocksOf(const Plan& plan) {
  std::vector<Block> blocks;
  std::vector<int> block_of(plan.buffers.size(), -1);
  for (size_t i = 0; i < plan.calls.size(); ++i) {
    std::vector<int> used;
    for (const PlanView& view : plan.calls[i].operands) used.push_back(view.buffer);
    for (const int extent : ExtentsOf(plan.calls[i])) used.push_back(extent);
    for (const int number : used) {
      const auto buffer = static_cast<size_t>(number);
      if (plan.buffers[buffer].kind != BufferKind::kArena) continue;
      if (block_of[buffer] < 0) {
        block_of[buffer] = static_cast<int>(blocks.size());
        const int64_t bytes = (plan.buffers[buffer].size_bytes + kBufferAlign - 1) / kBufferAlign * kBufferAlign;
        blocks.push_back({buffer, bytes, i, i, 0});
      }
      Nth(blocks, block_of[buffer]).last = i;
    }
  }
  return blocks;
}

int64_t LiveBound(const std::vector<Block>& blocks, size_t calls) {
  std::vector<int64_t> change(calls + 1, 0);
  for (const Block& block : blocks) {
    change[block.first] += block.bytes;
    change[block.last + 1] -= block.bytes;
  }
  int64_t live = 0, most = 0;
  for (const int64_t delta : change) most = std::max(most, live += delta);
  return most;
}

// Blocks by lifetime. Finding those that overlap a given one takes about as many steps as there are results.
class PlacedBlocks {
 public:
  explicit PlacedBlocks(size_t calls) : calls_(calls), spans_(2 * calls) {}

  void Add(const Block& block) {
    starts_.emplace(block.first, &block);
    size_t from = block.first + calls_, to = block.last + 1 + calls_;
    for (; from < to; from /= 2, to /= 2) {
      if (from % 2 == 1) spans_[from++].push_back(&block);
      if (to % 2 == 1) spans_[--to].push_back(&block);
    }
  }

  // The blocks that live at its first use, and those that begin later during its life.
  std::vector<const Block*> Around(const Block& block) const {
    std::vector<const Block*> around;
    for (size_t span = block.first + calls_; span > 0; span /= 2) {
      around.insert(around.end(), spans_[span].begin(), spans_[span].end());
    }
    const auto end = starts_.upper_bound(block.last);
    for (auto it = starts_.upper_bound(block.first); it != end; ++it) around.push_back(it->second);
    return around;
  }

 private:
  size_t calls_;
  // A tree over the calls: span calls + i is call i, and span i joins spans 2 i and 2 i + 1. A block is in the
  // fewest spans that cover its life.
  std::vector<std::vector<const Block*>> spans_;
  std::multimap<size_t, const Block*> starts_;  // by the first call
};

// The smallest gap between blocks that holds `bytes`, else the place after the last block.
int64_t BestFit(int64_t bytes, std::vector<const Block*> around) {
  std::sort(around.begin(), around.end(), [](const Block* a, const Block* b) { return a->offset < b->offset; });
  int64_t end = 0, best = -1, best_gap = 0;
  for (const Block* other : around) {
    const int64_t gap = other->offset - end;
    if (gap >= bytes && (best < 0 || gap < best_gap)) {
      best = end;
      best_gap = gap;
    }
    end = std::max(end, other->offset + other->bytes);
  }
  return best < 0 ? end : best;
}

// Places the blocks in the given order, each beside those that live at the same time. Returns the bytes of all
// together.
int64_t Place(std::vector<Block>& blocks, const std::vector<size_t>& order, size_t calls) {
  PlacedBlocks placed(calls);
  int64_t end = 0;
  for (const size_t i : order) {
    blocks[i].offset = BestFit(blocks[i].bytes, placed.Around(blocks[i]));
    placed.Add(blocks[i]);
    end = std::max(end, blocks[i].offset + blocks[i].bytes);
  }
  return end;
}

}  // namespace

void PlanMemory(Plan& plan) {
  std::vector<Block> by_size = BlocksOf(plan);
  plan.live_bound_bytes = LiveBound(by_size, plan.calls.size());
  std::vector<size_t> order(by_size.size());
  std::iota(order.begin(), order.end(), 0);
  // Neither order always wins: largest first leaves holes for small blocks, earliest first follows a chain tightly.
  std::vector<Block> by_time = by_size;
  const int64_t time_bytes = Place(by_time, order, plan.calls.size());
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return by_size[a].bytes > by_size[b].bytes; });
  const int64_t size_bytes = Place(by_size, order, plan.calls.size());
  plan.arena_bytes = std::min(time_bytes, size_bytes);
  for (const Block& block : size_bytes <= time_bytes ? by_size : by_time) {
    plan.buffers[block.buffer].offset_bytes = block.offset;
  }
}

}  // namespace hone
