// The values that a session keeps from one run to the next (Plan::states), and how many positions they hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/package/plan.h"
#include "core/tensor.h"

namespace hone {

// `memory` is always the address of each plan buffer. Positions behind a state's length are zeros, or were left by a
// run that failed; nothing that a run returns depends on them. The plan must outlive the object.
class SessionStates {
 public:
  // Every state is empty, or zeros.
  explicit SessionStates(const Plan& plan);

  bool empty() const { return lengths_.empty(); }
  // The number of the state; -1 if none has the name.
  int Find(std::string_view name) const;

  // The positions of the first state that grows, and its room for them; 0 if none does.
  int64_t length() const;
  int64_t capacity() const;
  // Positions that state i holds; 0 if its shape is fixed.
  int64_t length(size_t i) const { return lengths_[i]; }

  // Before a run: writes the numbers of positions. `shapes` are those of the inputs. Throws Error(kBadData) if an input
  // or a state has another extent for the dimension of a state.
  void WriteExtents(const std::vector<Shape>& shapes, const std::vector<char*>& memory) const;
  // Throws Error(kBadData), telling a way out, if the counted number of positions is more than a state holds. `counts`
  // says of each entry of Plan::counted whether it is known.
  void RequireRoom(const std::vector<bool>& counts, const std::vector<char*>& memory) const;
  // After a run: what it left is what the next one reads. Allocates nothing.
  void Advance(const std::vector<char*>& memory);
  // After a run that failed: zeros behind the positions that are held.
  void Forget(const std::vector<char*>& memory) const;

  // All states are empty, or zeros.
  void Reset(const std::vector<char*>& memory);
  // Keeps the first `length` positions of each state that grows. Throws Error: kUsage if there are fewer, or
  // if there is a state without positions, of which none can be taken away, unless nothing would be.
  void Truncate(int64_t length, const std::vector<char*>& memory);

  // State i, densely: its first positions, or all of a fixed shape.
  Tensor Get(size_t i, const std::vector<char*>& memory) const;
  // Replaces state i. Throws Error, naming it: kUsage for another type or shape, kBadData for too many positions.
  void Set(size_t i, const Tensor& value, const std::vector<char*>& memory);
  // Takes over all states of a session of the same plan.
  void CopyFrom(const SessionStates& other, const std::vector<char*>& from, const std::vector<char*>& memory);

 private:
  const PlanBuffer& BufferOf(size_t i) const { return plan_->buffers[plan_->states[i].before]; }
  // Its positions as rows: `rows` runs of `room` positions of `bytes` each.
  struct Rows {
    int64_t rows = 1, room = 1, bytes = 0;
  };
  Rows RowsOf(size_t i, int buffer) const;
  void ZeroBehind(size_t i, int64_t length, int64_t end, const std::vector<char*>& memory) const;
  int64_t CapacityOf(size_t i) const;

  const Plan* plan_;
  std::vector<int64_t> lengths_;  // of each state; 0 if its shape is fixed
};

}  // namespace hone
