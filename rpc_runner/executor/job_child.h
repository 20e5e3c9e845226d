// The process that runs one candidate, and dies of it if it must.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/artifact.h"
#include "core/measurement.h"
#include "rpc_runner/executor/loaded_package.h"
#include "rpc_runner/executor/shared_region.h"
#include "rpc_runner/runner.h"

namespace hone {

// The task of a child. The expected outputs are no part of it.
struct ChildTask {
  const Artifact* artifact = nullptr;
  // inputs[s][i]: operand i, packed for the kernel, filled from seed s. Mapped read-only.
  std::vector<std::vector<std::shared_ptr<const SharedRegion>>> inputs;
  std::vector<std::shared_ptr<SharedRegion>> outputs;
  TimingPolicy timing;
  // Instead of an artifact. outputs[0] then is the table of its times, and outputs[1], where it is wanted, what it
  // computed.
  const PackageJob* package = nullptr;
  PackageData data = {};  // the package's
  bool pin = false;       // bind each thread to one of the allowed cores
  // Memory that the task's message takes in the child beyond what its parent had: see TaskMessage.
  int64_t message_bytes = 0;
};

// Gives the task, which stays where it is. May throw: that then is why the job cannot be run.
using TaskSource = std::function<const ChildTask&()>;

// Takes the task, loads the kernel, locks itself down, says kReady and obeys commands (child_note.h) until kQuit. Call
// it in a process that was just forked from one with a single thread.
[[noreturn]] void RunJobChild(const TaskSource& source, int note_fd, int parent);

}  // namespace hone
