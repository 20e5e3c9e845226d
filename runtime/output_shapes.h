// The true shapes of a session's outputs, along axes whose extent a run counts (Plan::counted).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/package/plan.h"

namespace hone {

// The calls, in order, that count extents from the inputs' shapes alone. They read no other value of the inputs, so
// they may run before a run begins.
class ShapeCalls {
 public:
  explicit ShapeCalls(const Plan& plan);

  const std::vector<size_t>& calls() const { return calls_; }
  // Whether the count of entry i of Plan::counted is known after these calls.
  bool Counts(size_t i) const { return counts_[i]; }
  const std::vector<bool>& counts() const { return counts_; }

 private:
  std::vector<size_t> calls_;
  std::vector<bool> counts_;
};

// The plan must outlive the object. `memory` is always the address of each plan buffer.
class OutputShapes {
 public:
  explicit OutputShapes(const Plan& plan);

  // After the last run; the buffer's own shape before it.
  const Shape& shape(size_t output) const { return shapes_[output]; }
  // Reads the counts of a finished run and moves the valid elements of each output together. Throws Error(kBadData) if
  // a count is out of its range, naming it and the run's extents. Allocates nothing otherwise.
  void Settle(const std::vector<char*>& memory);

  // The shape that `expected` counts gave; the largest extent along all other counted axes.
  const Shape& expected(size_t output) const { return expected_[output]; }
  // Reads the counts that ShapeCalls made. Throws as Settle does.
  void Expect(const ShapeCalls& calls, const std::vector<char*>& memory);

 private:
  int64_t CountAt(const CountedAxis& counted, const std::vector<char*>& memory) const;
  void Trim(const CountedAxis& counted, int64_t count, char* data);
  void Reset(std::vector<Shape>& shapes) const;

  const Plan* plan_;
  std::vector<Shape> shapes_, expected_;
};

}  // namespace hone
