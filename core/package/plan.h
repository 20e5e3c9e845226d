// A lowered model: the kernels that run, and their buffers. The compiler makes it, a package stores it as graph.json,
// and the runtime executes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/layout.h"
#include "core/machine/target.h"
#include "core/tensor.h"

namespace hone {

// The newest version. A plan has the oldest one that can write it.
inline constexpr int kPlanVersion = 3;

enum class BufferKind : uint8_t {
  kInput = 0,   // the user's memory
  kOutput = 1,  // the user's memory
  kParam = 2,   // in the package's params section
  kArena = 3,   // in the session's arena
  kState = 4,   // the session's; what is there stays for the next run
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

// The source of a kernel's configuration: one row of the dispatch table that a build prints.
struct Dispatch {
  std::string workload;  // Workload::ToText(), or empty for a kernel without knobs
  std::string schedule;  // "generic" for a kernel without knobs
  std::string config;    // Config::ToText()
  // "record", "other threads", "same microarchitecture", "near", "default" or "generic". The first four are followed
  // by ", ORIGIN" if the record is not from the user's own store ("record, hub").
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

// Work items of a stage along one of their axes. Only the first ceil((extent * scale + plus) / step) of them are needed
// in a run, where `extent` is the value of a buffer.
struct ItemAxis {
  int64_t items = 1;
  // Buffer of one int64, no parameter, which holds its value before the call; -1: all items are needed.
  int extent = -1;
  int64_t scale = 1, step = 1, plus = 0;
  bool operator==(const ItemAxis&) const = default;
};

// Work items [first, first + product of the axes' items) of a stage, in row-major order of the axes. A run may leave
// out those that an axis does not need: nothing that it returns depends on them.
//
//    items of a stage   0 1 2 3 | 4 5 6 7 | 8 9 10 11       axes: 3 images; 4 tiles of rows, 2 of which are needed
//    the run does       0 1       4 5       8 9
struct ItemBox {
  int stage = 0;
  int64_t first = 0;
  std::vector<ItemAxis> axes;  // the outermost first
  bool operator==(const ItemBox&) const = default;
};

// Holds while the extent, a buffer as that of an ItemAxis, is at most `most`.
struct ExtentLimit {
  int extent = 0;
  int64_t most = 0;
  bool operator==(const ExtentLimit&) const = default;
};

// A parameter that a variant reads in place of the call's own: the same weights in another layout.
struct VariantParam {
  int operand = 0;  // of the call, an input
  int buffer = 0;   // of kind kParam, read from its beginning
  bool operator==(const VariantParam&) const = default;
};

// Another kernel of a call for small extents. It has the call's operands, except for `params`.
struct CallVariant {
  int kernel = 0;
  std::vector<ExtentLimit> limits;  // at least one
  std::vector<ItemBox> boxes;       // as the call's own
  std::vector<VariantParam> params = {};
  bool operator==(const CallVariant&) const = default;
};

struct PlanCall {
  int kernel = 0;
  std::vector<PlanView> operands;  // inputs, then outputs, as the kernel wants them
  std::string op;                  // anchor or first op, "nn.conv2d"
  std::vector<std::string> nodes;  // original names of the model's nodes that it computes
  double flops = 0;
  std::vector<ItemBox> boxes;  // disjoint; items outside of them are always done
  // The first one whose limits all hold runs in place of `kernel` and `boxes`.
  std::vector<CallVariant> variants = {};
  bool operator==(const PlanCall&) const = default;
};

// The operands of the variant's kernel.
inline std::vector<PlanView> OperandsOf(const PlanCall& call, const CallVariant& variant) {
  std::vector<PlanView> operands = call.operands;
  for (const VariantParam& param : variant.params) operands.at(static_cast<size_t>(param.operand)) = {param.buffer};
  return operands;
}

// An axis whose extent is counted during a run. Buffers are as large as it can be. After a run an output's elements
// are dense in its true shape.
struct CountedAxis {
  int output = -1;   // index in Plan::outputs; -1: a value within the plan, whose count is only checked
  int axis = 0;      // of the output
  int count = 0;     // buffer of the count: one int64 of kind kOutput, not among Plan::outputs
  int64_t most = 0;  // the output's dimension, if it is one; a run with a count above it or below 0 has failed
  bool operator==(const CountedAxis&) const = default;
};

// An axis of an input whose extent the caller chooses for each run, from `least` to the input's dimension. Axes with
// the same buffer have the same extent. The buffer's name is the dimension's.
struct RangedAxis {
  int input = 0;   // index in Plan::inputs
  int axis = 0;    // of the input
  int extent = 0;  // buffer of the extent: one int64 of kind kInput, not among Plan::inputs
  int64_t least = 1;
  bool operator==(const RangedAxis&) const = default;
};

// A value that a session keeps from one run to the next: a cache of keys, the hidden values of a recurrent layer. It is
// none of the plan's inputs and outputs.
//
//    k k k k n n . .    axis: 4 positions that were there, of at most 8; a run adds 2
struct PlanState {
  int before = 0;   // the buffer of kind kState that a run reads; its shape is the largest, its name the state's
  int after = 0;    // the one that a run leaves; equal to `before` if the run writes its new positions there
  int axis = -1;    // along which it grows from no position on; -1: the shape is fixed, and it begins with zeros
  int extent = -1;  // buffer of the number of positions before a run: one int64 of kind kInput, not among Plan::inputs
  int count = -1;   // buffer of their number after it: one int64 of kind kOutput, counted by an entry of Plan::counted
  bool operator==(const PlanState&) const = default;
};

struct Plan {
  int version = 1;    // 2 if some axis has a `plus`; 3 if some variant has parameters of its own
  std::string model;  // path or zoo name, for people
  Target target;
  int threads = 1;  // the number of threads it was tuned for
  std::vector<PlanBuffer> buffers;
  std::vector<PlanKernel> kernels;
  std::vector<PlanCall> calls;  // in execution order
  std::vector<int> inputs;      // buffer indices, in the model's order
  std::vector<int> outputs;
  std::vector<CountedAxis> counted;  // empty: every output's shape is that of its buffer
  std::vector<RangedAxis> ranged;    // empty: every input's shape is that of its buffer
  std::vector<PlanState> states;     // empty: a run depends on its inputs alone
  int64_t arena_bytes = 0;
  int64_t params_bytes = 0;
  int64_t live_bound_bytes = 0;  // most bytes that are live at once; no plan can need a smaller arena
  bool operator==(const Plan&) const = default;
};

// The number types in which a package's layers multiply: a field of its manifest.

struct PackagePrecision {
  std::string name = "float32";  // or "bfloat16", "int8", or "mixed"
  // Numbers of layers with a chosen precision; all 0 if the whole model has the requested one.
  int64_t float32_layers = 0, bfloat16_layers = 0, int8_layers = 0;
  double error = 0;       // max |y - r| / max |r| of the outputs on calibration inputs; 0 if not measured
  double max_error = -1;  // the allowed error; below 0: any
  bool operator==(const PackagePrecision&) const = default;
};

}  // namespace hone
