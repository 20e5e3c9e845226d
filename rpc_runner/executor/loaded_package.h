// A package job's model in the process that runs it.
#pragma once

#include <cstdint>
#include <memory>

#include "rpc_runner/runner.h"
#include "runtime/session.h"

namespace hone {

// Throws Error when the plan or the library is not right, or cannot run on this CPU; std::bad_alloc.
class LoadedPackage {
 public:
  LoadedPackage(const PackageJob& job, bool pin);
  // One run to warm up, then the job's runs. table[run * calls + call] becomes the call's nanoseconds.
  void Time(int64_t* table);
  ThreadPool& pool() { return *pool_; }

 private:
  const PackageJob& job_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Session> session_;
};

}  // namespace hone
