// A store for callers that cannot discard their data: a long run survives a disk that is full for a while.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "db/record_store.h"

namespace hone {

struct Patience {
  int64_t for_ns = 60'000'000'000;  // of one call
  int64_t pause_ns = 1'000'000'000;
  std::function<int64_t()> now_ns;  // a clock that goes on while a call waits for a lock
  std::function<void(int64_t ns)> sleep;
  // Called once when a call begins to wait, with the reason and the waiting time, and once when the call succeeded.
  std::function<void(const std::string& what)> tell;
  std::function<bool()> hurried;  // whether to give up at once; empty: never
};

// Wraps the store. A call that fails with Error(kIo) is repeated until it succeeds: the disk may be full, the device
// may err, or others may hold the lock. When the patience is over, the error is thrown. Nothing is stored twice,
// because a failed call leaves nothing behind. Other errors are thrown at once.
std::unique_ptr<RecordStore> MakePatient(std::unique_ptr<RecordStore> store, const Patience& patience);

}  // namespace hone
