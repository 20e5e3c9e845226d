// A schedule: one way to compute a workload, as code with knobs. One file per schedule; schedule.cc lists them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedules/knob_table.h"
#include "core/artifact.h"
#include "core/config_space.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

// A config's register tile and the loops around it, as its schedule describes them. Every kernel of a schedule is this
// nest, whatever its axes are called:
//
//   for each group of columns          `groups`
//     for each line of outputs                             reads input_bytes
//       for each register tile         line / rows         reads weight_bytes again, once per pass
//         for each step                steps / unroll      rows x vectors multiply-adds, unroll times
//
// Counts and bytes are doubles because estimates and features multiply and divide them.
struct TileShape {
  double rows = 1;             // broadcast scalars of a step: outputs along a line, Winograd tiles, matrix rows
  double vectors = 1;          // vectors of output channels or columns that each scalar is multiplied with
  double line = 1;             // rows divided among neighbouring tiles; the last may be narrower
  double groups = 1;           // neighbouring register tiles across the output channels or columns
  double steps = 1;            // of the reduction, for one output
  double unroll = 1;           // steps in one iteration of the innermost loop
  double passes = 1;           // over the reduction, with partial sums in memory between them
  double weight_bytes = 0;     // of one register tile and pass
  double input_bytes = 0;      // of a line and all steps
  double workspace_bytes = 0;  // written and read again between the parts of a kernel, by one worker or by all

  double accumulators() const { return rows * vectors; }
  bool operator==(const TileShape&) const = default;
};

class KernelBuilder;

// Work items of a stage along one of their axes. The first ceil((n * scale + plus) / step) of them compute the first n
// positions of an axis of an output.
struct StageAxis {
  int64_t items = 1;
  int axis = -1;  // logical; -1: each item is needed for every position
  int64_t scale = 1, step = 1, plus = 0;
};

// Work items [first, first + product of the axes' items) of a stage, in row-major order of the axes. They compute
// parts of one output.
struct StageBox {
  int stage = 0;
  int64_t first = 0;
  std::vector<StageAxis> axes;  // the outermost first
  int output = 0;
};

// The parts of an emitted kernel.
struct EmittedKernel {
  std::vector<KernelStage> stages;
  int64_t shared_workspace_bytes = 0;
  // Disjoint boxes, in the order of stages and items. Items outside of them are needed for every position. An axis of
  // a schedule's kernel is one of the operator's result (N C H W; M N; B M N); for any other kernel it is one of the
  // output's type.
  std::vector<StageBox> boxes = {};
};

inline constexpr double kExactTolerance = 2e-6;

class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual std::string_view name() const = 0;
  // Increased when a stored config would mean another kernel; records of another version are not used.
  virtual int version() const = 0;
  // An output is right if |got - ref| <= tolerance * sum |x||w| + 1e-7. A tolerance above kExactTolerance means that
  // the algorithm trades accuracy for speed, and `--math exact` forbids it.
  virtual double tolerance() const { return kExactTolerance; }
  bool exact() const { return tolerance() <= kExactTolerance; }
  // Whether it has kernels for these element types.
  virtual bool Takes(const ElementTypes& types) const { return types == ElementTypes(); }
  // Whether it computes such an operator of such shapes; only asked for workloads whose types it takes.
  virtual bool Applies(const Workload& workload, const MachineModel& machine) const = 0;
  // Whether it takes the types and applies: the question that callers ask.
  bool Fits(const Workload& workload, const MachineModel& machine) const {
    return Takes(workload.types) && Applies(workload, machine);
  }
  // Every knob that a config may have, in the order of Space.
  virtual std::vector<KnobRow> Knobs() const = 0;
  // Only values worth trying on this machine; Reject still prunes combinations.
  virtual ConfigSpace Space(const Workload& workload, const MachineModel& machine) const = 0;
  // Why the config cannot be compiled well (registers, code size, an unknown or out-of-range knob), or nullopt. Cheap:
  // runs before LLVM. A config need not lie in Space to be valid.
  virtual std::optional<std::string> Reject(const Workload& workload, const MachineModel& machine,
                                            const Config& config) const = 0;
  // Operands in kernel order with their layouts: data, [scale, shift], weight, [bias], [residual], output.
  virtual std::vector<KernelOperand> Operands(const Workload& workload, const Config& config,
                                              const Epilogue& epilogue) const = 0;
  // Emits one function per stage, named `symbol`, `symbol`_1, ...
  virtual EmittedKernel Emit(KernelBuilder& builder, const Workload& workload, const MachineModel& machine,
                             const Config& config, const Epilogue& epilogue, const std::string& symbol) const = 0;
  // The register tile and working set of a valid config, for the tuner's features and the estimate.
  virtual TileShape Tile(const Workload& workload, const MachineModel& machine, const Config& config) const = 0;
  // Estimated nanoseconds with machine.threads workers: orders trials and picks the analytic default.
  virtual double EstimateNs(const Workload& workload, const MachineModel& machine, const Config& config) const = 0;
};

// Every schedule, in the order in which they are tried.
const std::vector<const Schedule*>& AllSchedules();
// Null if no schedule has the name.
const Schedule* FindSchedule(std::string_view name);
// The schedules that fit; never empty for a valid workload.
std::vector<const Schedule*> SchedulesFor(const Workload& workload, const MachineModel& machine);

// The best config by EstimateNs among the valid configs of all schedules that fit; a build without records uses it.
struct DefaultConfig {
  const Schedule* schedule = nullptr;
  Config config;
  double estimate_ns = 0;
};
DefaultConfig AnalyticDefault(const Workload& workload, const MachineModel& machine);

// Why a build may not run a workload with a config from another machine, user or version, for people. There is no such
// schedule, it does not compute the workload, it rejects the config, or it trades accuracy for speed although
// `exact_math` forbids that. Returns nullopt if it may.
std::optional<std::string> WhyUnusable(const Workload& workload, const MachineModel& machine,
                                       const std::string& schedule, const Config& config, bool exact_math);

}  // namespace hone
