// A lowered model: what runs, in which buffers. The compiler makes it, a package carries it as graph.json, the runtime
// executes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/layout.h"
#include "core/target.h"
#include "core/tensor.h"

namespace hone {

inline constexpr int kPlanVersion = 1;

enum class BufferKind : uint8_t {
  kInput = 0,   // the user's memory
  kOutput = 1,  // the user's memory
  kParam = 2,   // in the package's params section
  kArena = 3,   // in the session's arena
};

struct PlanBuffer {
  std::string name;  // input, output or parameter name; for the arena, the node that writes it
  BufferKind kind = BufferKind::kArena;
  DType dtype = DType::kFloat32;
  Shape shape;               // logical
  Layout layout;             // in memory
  int64_t size_bytes = 0;    // of the physical tensor
  int64_t offset_bytes = 0;  // in the params section or the arena, 64-byte aligned; 0 for inputs and outputs
  bool operator==(const PlanBuffer&) const = default;
};

// A slice of a buffer that a call reads or writes.
struct PlanView {
  int buffer = 0;
  int64_t offset_bytes = 0;
  int64_t batch_stride_bytes = 0;
  bool operator==(const PlanView&) const = default;
};

// Where a kernel's configuration came from: one row of the dispatch table that a build prints.
struct Dispatch {
  std::string workload;  // Workload::ToText(), or empty for a kernel without knobs
  std::string schedule;  // "generic" for a kernel without knobs
  std::string config;    // Config::ToText()
  // "record", "other threads", "same microarchitecture", "near", each with ", ORIGIN" behind it where the record is not
  // of the user's own store ("record, hub"); "default", "generic"
  std::string source;
  std::string record;         // the record's id, or empty
  int64_t expected_ns = 0;    // the record's best sample; 0 when not known
  std::string kernel_sha256;  // Artifact::object_sha256
  bool operator==(const Dispatch&) const = default;
};

struct PlanKernel {
  std::vector<KernelStage> stages;
  int64_t shared_workspace_bytes = 0;
  Dispatch dispatch;
  bool operator==(const PlanKernel&) const = default;
};

struct PlanCall {
  int kernel = 0;
  std::vector<PlanView> operands;  // inputs, then outputs, as the kernel wants them
  std::string op;                  // anchor or first op, "nn.conv2d"
  std::vector<std::string> nodes;  // the model's nodes that it computes, by their original names
  double flops = 0;
  bool operator==(const PlanCall&) const = default;
};

// How far an axis of a value goes is counted in a run; buffers are as large as it can be. After a run an output's
// elements are dense in its true shape.
struct CountedAxis {
  int output = -1;   // place in Plan::outputs; -1: of a value within the plan, whose count is only checked
  int axis = 0;      // of the output
  int count = 0;     // the buffer with the count: one int64 of kind kOutput that is not among Plan::outputs
  int64_t most = 0;  // the output's dim, where it is one; a run whose count is larger, or below 0, has failed
  bool operator==(const CountedAxis&) const = default;
};

struct Plan {
  int version = kPlanVersion;
  std::string model;  // path or zoo name, for people
  Target target;
  int threads = 1;  // that it was tuned for
  std::vector<PlanBuffer> buffers;
  std::vector<PlanKernel> kernels;
  std::vector<PlanCall> calls;  // in execution order
  std::vector<int> inputs;      // buffer indices, in the model's order
  std::vector<int> outputs;
  std::vector<CountedAxis> counted;  // empty: every shape is as the buffers have it
  int64_t arena_bytes = 0;
  int64_t params_bytes = 0;
  int64_t live_bound_bytes = 0;  // the most bytes live at once: no plan can need less arena
  bool operator==(const Plan&) const = default;
};

}  // namespace hone
