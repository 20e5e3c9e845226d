// The process that runs one candidate, and may crash with it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/artifact.h"
#include "core/measurement.h"
#include "rpc_runner/executor/loaded_package.h"
#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/runner.h"

namespace hone {

// The task of a child. It does not contain the expected outputs.
struct ChildTask {
  const Artifact* artifact = nullptr;
  // inputs[s][i]: operand i, packed for the kernel, filled from seed s. Mapped read-only.
  std::vector<std::vector<std::shared_ptr<const SharedRegion>>> inputs;
  std::vector<std::shared_ptr<SharedRegion>> outputs;
  TimingPolicy timing;
  // If set, replaces the artifact. outputs[0] is then the table of its times, and outputs[1], if wanted, its outputs.
  const PackageJob* package = nullptr;
  PackageData data = {};  // the package's blobs
  bool pin = false;       // bind each thread to one of the allowed cores
  // Memory that the task's message (TaskMessage) takes in the child beyond what its parent had.
  int64_t message_bytes = 0;
};

// Returns the task, which keeps its address. If it throws, the job cannot be run for that reason.
using TaskSource = std::function<const ChildTask&()>;

// Takes the task, loads the kernel, locks itself down, says kReady and obeys commands (child_note.h) until kQuit. Call
// it in a process that was just forked from a single-threaded one.
[[noreturn]] void RunJobChild(const TaskSource& source, int note_fd, int parent);

}  // namespace hone
