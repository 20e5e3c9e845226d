// A package job's model in the process that runs it.
#pragma once

#include <cstdint>
#include <memory>

#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/runner.h"
#include "runtime/session.h"

namespace hone {

// The bytes of a job's blobs; null if the job names none, or an empty one.
struct PackageData {
  std::shared_ptr<const SharedRegion> params, inputs;
};

// Throws Error if the plan or the library is invalid, the data do not match the plan, or the CPU cannot run it. Throws
// std::bad_alloc.
class LoadedPackage {
 public:
  LoadedPackage(const PackageJob& job, const PackageData& data, bool pin);
  // Runs once to warm up, unless outputs are wanted, then as often as the job says. Each call's time in ns goes to
  // table[run * calls + call].
  void Time(int64_t* table);
  // Copies the outputs of the last run, one after the other.
  void CopyOutputs(char* to) const;
  ThreadPool& pool() { return *pool_; }

 private:
  void FillInputs(const PackageData& data);

  const PackageJob& job_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Session> session_;
};

}  // namespace hone
