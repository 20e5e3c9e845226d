// Runs a package.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "runtime/package.h"
#include "runtime/session_memory.h"
#include "runtime/threads/thread_pool.h"

namespace hone {

struct SessionOptions {
  int threads = 0;  // 0: the cores that affinity and the cgroup allow
  bool pin = false;
  ThreadPool* pool = nullptr;               // the caller's own, not owned; must outlive the session
  std::optional<MemorySource> memory = {};  // for the session's tensors and workspaces; absent: the system
};

// The arena, bound inputs and outputs, and thread pool of a package's runs. Used by one thread at a time.
class Session {
 public:
  explicit Session(std::shared_ptr<const Package> package, const SessionOptions& options = {});
  ~Session();

  // Inputs with ranged axes (Plan::ranged) have the largest shape until another one is set. The caller's tensors are
  // dense in the present shape. Each run copies them to the places where kernels expect their elements.

  // Copies the tensor in; its shape becomes the input's. Throws Error naming the input: kUsage when the name, the dtype
  // or a fixed extent does not fit, kBadData for an extent out of its range. The name may be a state's, too (SetState).
  void SetInput(std::string_view name, const Tensor& value);
  // Sets the shape of input i of the plan's list, for memory that is filled through InputData or bound. Set it before
  // the memory is filled. Throws Error as SetInput does. Allocates nothing.
  void SetInputShape(int i, const Shape& shape);
  // Valid as long as the session.
  const Shape& InputShape(int i) const;
  // Whether binding checks overlaps each time, or the caller checks once for all bindings.
  enum class Overlaps : uint8_t { kRefused, kUnasked };
  // The session's own memory for input i of the plan's list, for the caller to fill. Valid as long as the session.
  // Replaces memory that was bound for the input.
  void* InputData(int i);
  // Later runs read input i from `data`, or write output i to it. These size_bytes bytes have any alignment, stay the
  // caller's and must outlive the runs. Null binds the session's own memory again. Allocates nothing. Throws
  // Error(kUsage) when an output would overlap another tensor's bound memory. Throws it, too, when the size is not that
  // of the input's present shape or the output's largest one.
  void BindInput(int i, const void* data, size_t size_bytes, Overlaps overlaps = Overlaps::kRefused);
  void BindOutput(int i, void* data, size_t size_bytes, Overlaps overlaps = Overlaps::kRefused);
  // Throws Error(kUsage) when an output overlaps another tensor's memory as they are bound at present. For many
  // tensors that were bound without a check. Allocates nothing.
  void RefuseOverlaps();
  // Runs every call. Throws Error(kBug) naming the node when a kernel returns a code. Throws Error(kBadData) naming
  // the count when an axis that is counted from data is longer than the package can hold. Before anything is computed,
  // throws Error(kBadData) when inputs disagree on a dimension or the model does not take their extents. It then throws
  // Error(kUsage) when an input's shape changed after memory was bound for it. Allocates nothing.
  void Run();
  // The number of the plan's kernel that the call has run with the extents of the last run.
  int KernelOf(size_t call) const;
  int outputs() const;
  // The shape that the last run gave output i of the plan's list: the buffer's own, or smaller along counted axes.
  // Before a run it is the buffer's. Valid until the next run.
  const Shape& OutputShape(int i) const;
  // The shape that the inputs' present shapes give output i in the next run. Along axes that a run counts from data it
  // is the largest. Valid until an input's shape is set. Throws Error(kBadData) if no run takes these shapes. Allocates
  // nothing.
  const Shape& ExpectedShape(int i);
  Tensor Output(int i) const;  // a copy, of OutputShape
  // The memory that Run writes output i of the plan's list to: the session's own, or what was bound. After a run the
  // elements of OutputShape lie there densely.
  const void* OutputData(int i) const;
  // Runs with a clock around each call and returns nanoseconds per plan call.
  std::vector<int64_t> RunProfiled();
  // The calls of one run, and the work of each worker in them.
  struct Trace {
    struct Slice {
      size_t call = 0;  // of the plan
      int stage = 0, worker = 0;
      int64_t begin_ns = 0, end_ns = 0;
    };
    int64_t begin_ns = 0;                         // begin of the run; all times are of the steady clock
    std::vector<int64_t> call_begin_ns, call_ns;  // per plan call
    std::vector<Slice> work;                      // by call and stage; none for a worker that had no share
  };
  // Runs with a clock around each call and around each worker's share of each stage.
  Trace RunTraced();
  // States (Plan::states) are none of the inputs and outputs. The session keeps them: each run reads what the last one
  // left. At first they hold no position, or zeros where their shape is fixed. A run that fails leaves them as they
  // were. A run that would outgrow one fails with Error(kBadData) before anything is computed, and the session stays
  // usable.

  int states() const;
  // Positions that the states hold, and the most that they may; of the first one that grows, 0 if none does.
  int64_t StateLength() const;
  int64_t StateCapacity() const;
  // Allocates nothing.
  void ResetState();
  // Keeps the first `length` positions, as if later ones had never been added. Throws Error(kUsage) if there are fewer,
  // and if the value of a state of fixed shape would have to go back. Allocates nothing.
  void TruncateState(int64_t length);
  // A copy of state i of the plan's list, of the positions that it holds.
  Tensor State(int i) const;
  // Replaces it, and the number of its positions. Throws Error, naming it: kUsage for another type or shape, kBadData
  // for more positions than it has room for.
  void SetState(int i, const Tensor& value);
  // Takes over the states of another session of the package, which must not run meanwhile. Throws Error(kUsage) for one
  // of another package. Allocates nothing.
  void CopyState(const Session& from);
  // The states as bytes (docs/reference/formats.md), which every session of the model reads, also of a package for
  // another machine or for more positions.
  std::string SaveState() const;
  size_t SavedStateBytes() const;  // the size of what SaveState gives
  // Replaces the states. Throws Error(kBadData), and changes nothing, for damaged bytes, states of another model, and
  // more positions than there is room for.
  void LoadState(std::string_view bytes);
  // With true, later runs leave the states as they find them, so that equal runs can be timed.
  void HoldState(bool hold);

  // Bytes that the session holds: arena, inputs, outputs, states, workspaces.
  int64_t memory_bytes() const;
  int threads() const;
  const Package& package() const;
  std::shared_ptr<const Package> shared_package() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The number of cores, at least 1, that affinity allows at present and the cgroup's CPU quota at the first call.
int AllowedCores();

}  // namespace hone
