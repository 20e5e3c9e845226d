// Sends a job's task to the process that runs it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "rpc_runner/executor/job_child.h"
#include "rpc_runner/executor/memory/shared_region.h"

namespace hone {

// The task without its regions' bytes, sealed. It contains nothing about expected outputs. Throws Error(kIo),
// std::bad_alloc.
std::shared_ptr<SharedRegion> TaskMessage(const ChildTask& task);
// Its regions' descriptors in the order in which ReceivedTask takes them: inputs by seed, outputs, the package's data.
std::vector<int> TaskDescriptors(const ChildTask& task);

// The receiver's task. It cannot be moved, because ChildTask points into it.
class ReceivedTask {
 public:
  // Takes over the descriptors. Throws Error(kIo) if their number differs from the message's, as SharedRegion does, and
  // std::bad_alloc.
  ReceivedTask(const SharedRegion& message, std::span<const int> descriptors);
  ReceivedTask(const ReceivedTask&) = delete;
  ReceivedTask& operator=(const ReceivedTask&) = delete;

  const ChildTask& task() const { return task_; }

 private:
  Artifact artifact_;
  PackageJob package_;
  ChildTask task_;
};

}  // namespace hone
