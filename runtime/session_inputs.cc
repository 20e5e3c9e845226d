#include "runtime/session_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

// Whether only axes behind extents of 1 are ranged.
bool IsPrefix(const Plan& plan, size_t input) {
  int64_t before = 1;
  const Shape& shape = plan.buffers[plan.inputs[input]].shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (before != 1 && RangeOf(plan, input, i) != nullptr) return false;
    before *= shape[i];
  }
  return true;
}

size_t BytesOf(const Shape& shape, DType dtype) { return static_cast<size_t>(ElementCount(shape) * DTypeBytes(dtype)); }

bool IsSmaller(const Shape& shape, const Shape& than) {
  return !std::equal(shape.begin(), shape.end(), than.begin(), [](int64_t a, int64_t b) { return a >= b; });
}

}  // namespace

SessionInputs::SessionInputs(const Plan& plan, const MemorySource* source) : plan_(&plan) {
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const PlanBuffer& buffer = BufferOf(i);
    shapes_.push_back(buffer.shape);
    Input& input = inputs_.emplace_back();
    input.ranged = IsRanged(plan, i);
    if (input.ranged && !IsPrefix(plan, i)) {
      input.dense = SessionMemory(static_cast<size_t>(buffer.size_bytes), source);
      input.dense_data = input.dense.data();
    }
  }
}

const PlanBuffer& SessionInputs::BufferOf(size_t input) const { return plan_->buffers[plan_->inputs[input]]; }

size_t SessionInputs::size_bytes(size_t input) const { return BytesOf(shapes_[input], BufferOf(input).dtype); }

void SessionInputs::SetShape(size_t input, const Shape& shape, char* buffer) {
  if (!HasFixedExtents(*plan_, input, shape)) {
    throw Error(ExitCode::kUsage, fmt::format("input '{}' is given the shape {}; {} would be right",
                                              BufferOf(input).name, ShapeText(shape), InputShapeText(*plan_, input)));
  }
  RequireInRange(*plan_, input, shape);
  Shape& present = shapes_[input];
  // A longer run may have left NaN there, and no run may depend on the runs before it.
  if (IsSmaller(shape, present)) {
    const bool prefix = inputs_[input].dense_data == nullptr;
    const size_t kept = prefix ? BytesOf(shape, BufferOf(input).dtype) : 0;
    const auto size = static_cast<size_t>(BufferOf(input).size_bytes);
    const size_t used = prefix ? size_bytes(input) : size;
    if (used > kept) std::memset(buffer + kept, 0, used - kept);
  }
  std::copy(shape.begin(), shape.end(), present.begin());
}

char* SessionInputs::OwnMemory(size_t input, char* buffer) {
  Bind(input, nullptr);
  char* const dense = inputs_[input].dense_data;
  return dense == nullptr ? buffer : dense;
}

void SessionInputs::Bind(size_t input, const char* data) {
  inputs_[input].bound = data;
  inputs_[input].bound_bytes = size_bytes(input);
}

const char* SessionInputs::Source(size_t input, const char* buffer) const {
  const Input& of = inputs_[input];
  if (of.bound != nullptr) return of.bound;
  return of.dense_data == nullptr ? buffer : of.dense_data;
}

void SessionInputs::RequireSize(size_t input) const {
  const Input& of = inputs_[input];
  if (of.bound == nullptr || of.bound_bytes == size_bytes(input)) return;
  throw Error(ExitCode::kUsage, fmt::format("'{}' is bound to {} bytes; its shape {} takes {}", BufferOf(input).name,
                                            of.bound_bytes, ShapeText(shapes_[input]), size_bytes(input)));
}

void SessionInputs::WriteExtents(const std::vector<char*>& memory) const {
  RequireAgreement(*plan_, shapes_);
  hone::WriteExtents(*plan_, shapes_, memory);
}

void SessionInputs::Write(const std::vector<char*>& memory) const {
  if (plan_->ranged.empty()) return;
  for (size_t i = 0; i < inputs_.size(); ++i) RequireSize(i);
  WriteExtents(memory);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    char* const buffer = memory[plan_->inputs[i]];
    if (!inputs_[i].ranged || Source(i, buffer) == buffer) continue;
    SpreadTensor(Source(i, buffer), shapes_[i], buffer, BufferOf(i).shape, DTypeBytes(BufferOf(i).dtype));
  }
}

size_t SessionInputs::memory_bytes() const {
  size_t total = 0;
  for (const Input& input : inputs_) total += input.dense.size();
  return total;
}

}  // namespace hone
