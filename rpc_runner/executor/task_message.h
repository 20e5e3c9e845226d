// A job's task on its way into the process that runs it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "rpc_runner/executor/byte_packer.h"
#include "rpc_runner/executor/job_child.h"
#include "rpc_runner/executor/shared_region.h"

namespace hone {

// The task but for its regions' bytes, sealed. It says nothing of what the output is held against. Throws Error(kIo),
// std::bad_alloc.
std::shared_ptr<SharedRegion> TaskMessage(const ChildTask& task);
// Its regions' descriptors in the order in which ReceivedTask takes them: inputs by seed, outputs, the package's data.
std::vector<int> TaskDescriptors(const ChildTask& task);

// The other end's task, which stays where it is: ChildTask points into it.
class ReceivedTask {
 public:
  // Takes over the descriptors. Throws Error(kIo) when there are not as many as the message says, and as SharedRegion;
  // std::bad_alloc.
  ReceivedTask(const SharedRegion& message, std::span<const int> descriptors);
  ReceivedTask(const ReceivedTask&) = delete;
  ReceivedTask& operator=(const ReceivedTask&) = delete;

  const ChildTask& task() const { return task_; }

 private:
  void TakeJob(ByteUnpacker& unpacker);

  Artifact artifact_;
  PackageJob package_;
  ChildTask task_;
};

}  // namespace hone
