#include "runtime/item_runs.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hone {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

int64_t ItemsBehind(const ItemBox& box, size_t axis) {
  int64_t items = 1;
  for (size_t i = axis + 1; i < box.axes.size(); ++i) items *= box.axes[i].items;
  return items;
}

int64_t NeededOf(const ItemAxis& axis, const int64_t* extent) {
  if (extent == nullptr) return axis.items;
  // An extent that no run may have is refused elsewhere; here it must only not overflow.
  const int64_t most = axis.items * axis.step / axis.scale + 1, n = std::clamp<int64_t>(*extent, 0, most);
  return std::min(axis.items, (n * axis.scale + axis.plus + axis.step - 1) / axis.step);
}

}  // namespace

ItemRuns::ItemRuns(std::vector<ItemBox> boxes, std::vector<const int64_t*> extents, int64_t extent)
    : boxes_(std::move(boxes)), extents_(std::move(extents)), known_(extents_.size(), kNever), extent_(extent) {
  // Room for the most runs: one between boxes, and one for each position of the axes before the last limited one.
  size_t most = 1, at = 0;
  for (const ItemBox& box : boxes_) {
    size_t runs = 1, axes = 1;
    for (size_t i = 0; i < box.axes.size(); ++i) {
      if (extents_[at + i] != nullptr) runs = axes;
      axes *= static_cast<size_t>(box.axes[i].items);
    }
    at += box.axes.size();
    most += runs + 1;
  }
  runs_.reserve(most);
  before_.reserve(most);
  AddRun(0, extent_);
}

void ItemRuns::Update() {
  bool same = true;
  for (size_t i = 0; i < extents_.size(); ++i) {
    const int64_t now = extents_[i] == nullptr ? 0 : *extents_[i];
    same = same && std::exchange(known_[i], now) == now;
  }
  if (same) return;
  runs_.clear();
  before_.clear();
  items_ = 0;
  int64_t done = 0;
  const int64_t* const* extents = extents_.data();
  for (const ItemBox& box : boxes_) {
    AddRun(done, box.first);
    AddAxis(box, extents, 0, box.first);
    extents += box.axes.size();
    done = box.first + box.axes[0].items * ItemsBehind(box, 0);
  }
  AddRun(done, extent_);
}

void ItemRuns::AddRun(int64_t begin, int64_t end) {
  if (begin >= end) return;
  if (!runs_.empty() && runs_.back().end == begin) {
    runs_.back().end = end;
  } else {
    runs_.push_back({begin, end});
    before_.push_back(items_);
  }
  items_ += end - begin;
}

void ItemRuns::AddAxis(const ItemBox& box, const int64_t* const* extents, size_t axis, int64_t first) {
  const int64_t behind = ItemsBehind(box, axis), needed = NeededOf(box.axes[axis], extents[axis]);
  const bool all_behind = std::all_of(extents + axis + 1, extents + box.axes.size(),
                                      [](const int64_t* extent) { return extent == nullptr; });
  if (all_behind) return AddRun(first, first + needed * behind);
  for (int64_t i = 0; i < needed; ++i) AddAxis(box, extents, axis + 1, first + i * behind);
}

size_t ItemRuns::RunOf(int64_t item) const {
  const auto next = std::upper_bound(before_.begin(), before_.end(), item);
  return static_cast<size_t>(next - before_.begin()) - 1;
}

std::vector<std::unique_ptr<ItemRuns>> RunsOf(const std::vector<ItemBox>& of_all_stages, const PlanKernel& kernel,
                                              const ExtentAt& extent_at) {
  std::vector<std::unique_ptr<ItemRuns>> all;
  if (!of_all_stages.empty()) all.resize(kernel.stages.size());
  for (size_t stage = 0; stage < all.size(); ++stage) {
    std::vector<ItemBox> boxes;
    std::vector<const int64_t*> extents;
    for (const ItemBox& box : of_all_stages) {
      if (static_cast<size_t>(box.stage) != stage) continue;
      boxes.push_back(box);
      for (const ItemAxis& axis : box.axes) extents.push_back(extent_at(axis.extent));
    }
    if (boxes.empty()) continue;
    all[stage] = std::make_unique<ItemRuns>(std::move(boxes), std::move(extents), kernel.stages[stage].extent);
  }
  return all;
}

ExtentLimits LimitsOf(const CallVariant& variant, const ExtentAt& extent_at) {
  ExtentLimits limits;
  for (const ExtentLimit& limit : variant.limits) limits.emplace_back(extent_at(limit.extent), limit.most);
  return limits;
}

}  // namespace hone
