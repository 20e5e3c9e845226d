// The work items of a stage that a run needs (core/package/plan.h, ItemBox), as runs of neighbouring items.
//
//    items     0 1 2 3 | 4 5 6 7 | 8 9 10 11      3 images, of whose 4 tiles of rows 2 are needed
//    runs      [0, 2)    [4, 6)    [8, 10)
//    in turn    0 1       2 3       4 5           a share of [0, 6) is parts of some runs
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/package/plan.h"
#include "runtime/threads/work_shares.h"

namespace hone {

class ItemRuns {
 public:
  // The boxes of one stage of `extent` items; `extents` has the address of each box's axes' extents, null where all
  // items are needed. All items are needed until Update is called.
  ItemRuns(std::vector<ItemBox> boxes, std::vector<const int64_t*> extents, int64_t extent);

  // Reads the extents again. Allocates nothing.
  void Update();
  int64_t items() const { return items_; }

  // Calls body(begin, end) for each piece of a run within the needed items [begin, end), counted in turn. Stops and
  // returns the first result that is not 0.
  template <typename Body>
  int32_t ForRuns(int64_t begin, int64_t end, const Body& body) const {
    for (size_t i = RunOf(begin); begin < end; ++i) {
      const int64_t skipped = runs_[i].begin - before_[i];
      const int64_t last = std::min(end, before_[i] + runs_[i].end - runs_[i].begin);
      if (const int32_t code = body(begin + skipped, last + skipped); code != 0) return code;
      begin = last;
    }
    return 0;
  }

 private:
  size_t RunOf(int64_t item) const;
  void AddRun(int64_t begin, int64_t end);
  // The box's needed items, from the axis on, with `first` as the item at the beginning of that axis.
  void AddAxis(const ItemBox& box, const int64_t* const* extents, size_t axis, int64_t first);

  std::vector<ItemBox> boxes_;
  std::vector<const int64_t*> extents_;  // of all axes of all boxes, in their order
  std::vector<int64_t> known_;           // the extents of the last Update
  int64_t extent_;
  int64_t items_ = 0;
  std::vector<WorkRange> runs_;
  std::vector<int64_t> before_;  // needed items before each run
};

// The address of a buffer's int64; null for a number below 0.
using ExtentAt = std::function<const int64_t*(int)>;

// The runs of each stage of a kernel; null for a stage without boxes, and none where there are no boxes.
std::vector<std::unique_ptr<ItemRuns>> RunsOf(const std::vector<ItemBox>& boxes, const PlanKernel& kernel,
                                              const ExtentAt& extent_at);

// Limits of a call's variant, with the addresses of their extents.
using ExtentLimits = std::vector<std::pair<const int64_t*, int64_t>>;
ExtentLimits LimitsOf(const CallVariant& variant, const ExtentAt& extent_at);
inline bool AllHold(const ExtentLimits& limits) {
  return std::all_of(limits.begin(), limits.end(), [](const auto& limit) { return *limit.first <= limit.second; });
}

}  // namespace hone
