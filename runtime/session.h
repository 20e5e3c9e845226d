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
#include "runtime/thread_pool.h"

namespace hone {

struct SessionOptions {
  int threads = 0;  // 0: the cores that affinity and the cgroup allow
  bool pin = false;
  ThreadPool* pool = nullptr;               // the caller's own, not owned; must outlive the session
  std::optional<MemorySource> memory = {};  // for the session's tensors and workspaces; absent: the system
};

// Arena, bound inputs and outputs, thread pool. Used by one thread at a time.
class Session {
 public:
  explicit Session(std::shared_ptr<const Package> package, const SessionOptions& options = {});
  ~Session();

  // Copies the tensor in. Throws Error(kUsage) naming the input when the name, shape or dtype does not fit.
  void SetInput(std::string_view name, const Tensor& value);
  // Whether binding asks each time, or the caller asks once for all.
  enum class Overlaps : uint8_t { kRefused, kUnasked };
  // Memory of the session's own for input i of the plan's list, for the caller to fill; valid as long as the session.
  // The input is bound no more.
  void* InputData(int i);
  // From now on runs read input i from `data`, or write output i there: size_bytes bytes of any alignment, which stay
  // the caller's and must outlive the runs. Null binds the session's own memory again. Throws Error(kUsage) when the
  // size is not the tensor's, or when an output would overlap another tensor's bound memory. Allocates nothing.
  void BindInput(int i, const void* data, size_t size_bytes, Overlaps overlaps = Overlaps::kRefused);
  void BindOutput(int i, void* data, size_t size_bytes, Overlaps overlaps = Overlaps::kRefused);
  // Throws Error(kUsage) when an output overlaps another tensor's memory, as they are bound now: for many tensors that
  // were bound without asking. Allocates nothing.
  void RefuseOverlaps();
  // Runs every call. Throws Error(kBug) when a kernel returns a code, naming its node, and Error(kBadData) when a
  // counted axis is longer than the package can hold, naming it. Allocates nothing.
  void Run();
  int outputs() const;
  // The shape that the last run gave output i of the plan's list: the buffer's own, or less along counted axes. Before
  // a run, the buffer's. Valid until the next run.
  const Shape& OutputShape(int i) const;
  Tensor Output(int i) const;  // a copy, of that shape
  // Where Run writes output i of the plan's list: the session's own memory, or what was bound. After a run the elements
  // of OutputShape lie there densely.
  const void* OutputData(int i) const;
  // Runs with a clock around each call: nanoseconds per plan call.
  std::vector<int64_t> RunProfiled();
  // One run's calls and what each worker did in them.
  struct Trace {
    struct Slice {
      size_t call = 0;  // of the plan
      int stage = 0, worker = 0;
      int64_t begin_ns = 0, end_ns = 0;
    };
    int64_t begin_ns = 0;                         // of the run; all are of the steady clock
    std::vector<int64_t> call_begin_ns, call_ns;  // per plan call
    std::vector<Slice> work;                      // by call and stage; none of a worker that had no share
  };
  // Runs with a clock around each call and around each worker's share of each stage.
  Trace RunTraced();
  // Bytes that the session holds: arena, inputs, outputs, workspaces.
  int64_t memory_bytes() const;
  int threads() const;
  const Package& package() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Cores that affinity allows now and the cgroup's CPU quota did when this was first asked, at least 1.
int AllowedCores();

}  // namespace hone
