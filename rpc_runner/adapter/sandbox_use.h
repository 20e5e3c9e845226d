// Memory and processes that a sandbox uses.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/adapter/adapter_sandbox.h"

namespace hone {

struct SandboxUse {
  int64_t memory_bytes = 0;  // resident, and files under /tmp; memory that processes share counts for each
  int64_t tasks = 0;         // processes and threads
};

// Reads the /proc of this PID namespace, whose first process is left out.
SandboxUse UseOfNamespace();

// "it started more than 272 processes and threads"; empty if it uses no more than it may.
std::string ExcessOf(const SandboxUse& use, const AdapterSandbox& sandbox);

}  // namespace hone
