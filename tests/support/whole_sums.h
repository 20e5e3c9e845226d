// The exact result of a convolution, dense layer or batch_matmul of bytes, by integer sums and ONNX's rounding. A check
// that a kernel gives those bits.
#pragma once

#include <vector>

#include "compiler/schedules/schedule.h"
#include "core/candidate.h"

namespace hone::testing {

// The schedule's best candidate by its own estimate. Fails the running test when it rejects every config.
Candidate BestOf(const Schedule& schedule, const Workload& w, const Target& target);

// Every output, row-major, from inputs in kernel order: data, weight, [offset], [scale], [bias], [residual]; for a
// batch_matmul data, weight, zero points, [scale].
std::vector<double> WholeValues(const Workload& w, const Epilogue& epilogue, const std::vector<Tensor>& inputs);

// Compiles the candidate and runs it whole and in pieces of three work items; fails the running test where an output
// differs.
void CheckBits(const Candidate& candidate, const Epilogue& epilogue, uint64_t seed);

}  // namespace hone::testing
