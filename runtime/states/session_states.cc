#include "runtime/states/session_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "core/text/printable.h"

namespace hone {
namespace {

// Copies `count` positions of each row between buffers whose rows have room for different numbers of them.
void CopyPositions(const char* from, int64_t from_room, char* to, int64_t to_room, int64_t rows, int64_t count,
                   int64_t bytes) {
  for (int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_room * bytes, from + row * from_room * bytes, static_cast<size_t>(count * bytes));
  }
}

}  // namespace

SessionStates::SessionStates(const Plan& plan) : plan_(&plan), lengths_(plan.states.size()) {}

int SessionStates::Find(std::string_view name) const {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    if (BufferOf(i).name == name) return static_cast<int>(i);
  }
  return -1;
}

int64_t SessionStates::length() const {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    if (plan_->states[i].axis >= 0) return lengths_[i];
  }
  return 0;
}

int64_t SessionStates::capacity() const {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    if (plan_->states[i].axis >= 0) return CapacityOf(i);
  }
  return 0;
}

int64_t SessionStates::CapacityOf(size_t i) const { return BufferOf(i).shape[plan_->states[i].axis]; }

SessionStates::Rows SessionStates::RowsOf(size_t i, int buffer) const {
  const PlanBuffer& of = plan_->buffers[buffer];
  const int axis = plan_->states[i].axis;
  Rows rows{1, 1, DTypeBytes(of.dtype)};
  for (size_t d = 0; d < of.shape.size(); ++d) {
    const int at = static_cast<int>(d);
    (at == axis ? rows.room : at < axis ? rows.rows : rows.bytes) *= of.shape[d];
  }
  return rows;
}

void SessionStates::WriteExtents(const std::vector<Shape>& shapes, const std::vector<char*>& memory) const {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const PlanState& state = plan_->states[i];
    if (state.axis < 0) continue;
    for (size_t j = 0; j < i; ++j) {
      if (plan_->states[j].extent != state.extent || lengths_[j] == lengths_[i]) continue;
      throw Error(ExitCode::kBadData,
                  fmt::format("the state '{}' holds {} and '{}' {}; one number would be "
                              "right",
                              BufferOf(j).name, Counted(lengths_[j], "position"), BufferOf(i).name, lengths_[i]));
    }
    for (const RangedAxis& axis : plan_->ranged) {
      const int64_t extent = shapes[axis.input][axis.axis];
      if (axis.extent != state.extent || extent == lengths_[i]) continue;
      throw Error(ExitCode::kBadData,
                  fmt::format("the dimension {} is {} in axis {} of '{}', and the state holds {}; {} would be right",
                              plan_->buffers[axis.extent].name, extent, axis.axis,
                              plan_->buffers[plan_->inputs[axis.input]].name, lengths_[i], lengths_[i]));
    }
    std::memcpy(memory[state.extent], &lengths_[i], sizeof(int64_t));
  }
}

void SessionStates::RequireRoom(const std::vector<bool>& counts, const std::vector<char*>& memory) const {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const PlanState& state = plan_->states[i];
    if (state.axis < 0) continue;
    for (size_t each = 0; each < counts.size(); ++each) {
      if (!counts[each] || plan_->counted[each].count != state.count) continue;
      int64_t count = 0;
      std::memcpy(&count, memory[state.count], sizeof(count));
      if (count <= CapacityOf(i)) continue;
      throw Error(ExitCode::kBadData,
                  fmt::format("the state '{}' holds {}, and the run adds {}: it has room for {}; truncate or "
                              "reset it, or build with --dim {}=0..{}",
                              BufferOf(i).name, Counted(lengths_[i], "position"), count - lengths_[i], CapacityOf(i),
                              plan_->buffers[state.extent].name, std::bit_ceil(static_cast<uint64_t>(count))));
    }
  }
}

void SessionStates::Advance(const std::vector<char*>& memory) {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const PlanState& state = plan_->states[i];
    const int64_t before = lengths_[i];
    if (state.axis >= 0) std::memcpy(&lengths_[i], memory[state.count], sizeof(int64_t));
    if (state.after == state.before) continue;
    const Rows to = RowsOf(i, state.before), from = RowsOf(i, state.after);
    const int64_t count = state.axis < 0 ? to.room : lengths_[i];
    CopyPositions(memory[state.after], from.room, memory[state.before], to.room, to.rows, count, to.bytes);
    if (state.axis >= 0) ZeroBehind(i, lengths_[i], before, memory);
  }
}

void SessionStates::ZeroBehind(size_t i, int64_t length, int64_t end, const std::vector<char*>& memory) const {
  if (length >= end) return;
  const Rows rows = RowsOf(i, plan_->states[i].before);
  for (int64_t row = 0; row < rows.rows; ++row) {
    std::memset(memory[plan_->states[i].before] + (row * rows.room + length) * rows.bytes, 0,
                static_cast<size_t>((end - length) * rows.bytes));
  }
}

void SessionStates::Forget(const std::vector<char*>& memory) const {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    if (plan_->states[i].axis >= 0) ZeroBehind(i, lengths_[i], CapacityOf(i), memory);
  }
}

void SessionStates::Reset(const std::vector<char*>& memory) {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const PlanBuffer& buffer = BufferOf(i);
    if (plan_->states[i].axis >= 0) {
      ZeroBehind(i, 0, lengths_[i], memory);
    } else if (buffer.size_bytes > 0) {
      std::memset(memory[plan_->states[i].before], 0, static_cast<size_t>(buffer.size_bytes));
    }
    lengths_[i] = 0;
  }
}

void SessionStates::Truncate(int64_t length, const std::vector<char*>& memory) {
  if (length < 0 || length > this->length()) {
    throw Error(ExitCode::kUsage,
                fmt::format("a state of {} cannot be truncated to {}", Counted(this->length(), "position"), length));
  }
  if (length == this->length()) return;
  for (size_t i = 0; i < lengths_.size(); ++i) {
    if (plan_->states[i].axis >= 0) continue;
    throw Error(ExitCode::kUsage, fmt::format("the state '{}' has no positions that could be taken away; reset "
                                              "begins anew, and a saved state goes back",
                                              BufferOf(i).name));
  }
  for (size_t i = 0; i < lengths_.size(); ++i) {
    ZeroBehind(i, length, lengths_[i], memory);
    lengths_[i] = std::min(lengths_[i], length);
  }
}

Tensor SessionStates::Get(size_t i, const std::vector<char*>& memory) const {
  const PlanState& state = plan_->states[i];
  Shape shape = BufferOf(i).shape;
  if (state.axis >= 0) shape[state.axis] = lengths_[i];
  Tensor value(BufferOf(i).dtype, shape);
  const Rows rows = RowsOf(i, state.before);
  const int64_t count = state.axis < 0 ? rows.room : lengths_[i];
  if (value.size_bytes() > 0) {
    CopyPositions(memory[state.before], rows.room, static_cast<char*>(value.raw()), count, rows.rows, count,
                  rows.bytes);
  }
  return value;
}

void SessionStates::Set(size_t i, const Tensor& value, const std::vector<char*>& memory) {
  const PlanState& state = plan_->states[i];
  const PlanBuffer& buffer = BufferOf(i);
  Shape expected = buffer.shape;
  if (state.axis >= 0 && value.shape().size() == expected.size()) expected[state.axis] = value.shape()[state.axis];
  if (value.dtype() != buffer.dtype || value.shape() != expected) {
    throw Error(ExitCode::kUsage,
                fmt::format("state '{}' is {} {}; {} {} would be right", buffer.name, DTypeName(value.dtype()),
                            ShapeText(value.shape()), DTypeName(buffer.dtype), ShapeText(expected)));
  }
  const int64_t length = state.axis < 0 ? 0 : value.shape()[state.axis];
  if (state.axis >= 0 && length > CapacityOf(i)) {
    throw Error(ExitCode::kBadData, fmt::format("state '{}' is given {}; it has room for {}", buffer.name,
                                                Counted(length, "position"), CapacityOf(i)));
  }
  const Rows rows = RowsOf(i, state.before);
  const int64_t count = state.axis < 0 ? rows.room : length;
  if (value.size_bytes() > 0) {
    CopyPositions(static_cast<const char*>(value.raw()), count, memory[state.before], rows.room, rows.rows, count,
                  rows.bytes);
  }
  ZeroBehind(i, length, lengths_[i], memory);
  lengths_[i] = length;
}

void SessionStates::CopyFrom(const SessionStates& other, const std::vector<char*>& from,
                             const std::vector<char*>& memory) {
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const int buffer = plan_->states[i].before;
    const Rows rows = RowsOf(i, buffer);
    const int64_t count = plan_->states[i].axis < 0 ? rows.room : other.lengths_[i];
    CopyPositions(from[buffer], rows.room, memory[buffer], rows.room, rows.rows, count, rows.bytes);
    ZeroBehind(i, other.lengths_[i], lengths_[i], memory);
    lengths_[i] = other.lengths_[i];
  }
}

}  // namespace hone
